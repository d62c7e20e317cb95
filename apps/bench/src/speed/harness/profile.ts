import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { dirname, resolve } from 'node:path'

/** The parts of V8's CPU profile that are read here. */
interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number } }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

const SHOWN = 12

/** The profile of a variant; development tools of Chrome and editors open it. */
export const profilePath = (folder: string, benchmark: string, variant: string): string => resolve(folder, `${benchmark}-${variant}.cpuprofile`)

/** Does something while V8 samples it ten thousand times a second. */
export async function profiled<T>(path: string, action: () => T | Promise<T>): Promise<T> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 100 })
  await session.post('Profiler.start')
  const result = await action()
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(profile))
  return result
}

/** The functions in which a variant spent most time itself, without what they called, as lines of text. */
export function hottest(folder: string, benchmark: string, variant: string): string[] {
  const profile = JSON.parse(readFileSync(profilePath(folder, benchmark, variant), 'utf8')) as Profile
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, `${callFrame.functionName || '(anonymous)'} ${place(callFrame)}`]))
  const times = new Map<string, number>()
  let total = 0
  for (const [i, id] of profile.samples.entries()) {
    const name = names.get(id) ?? ''
    const time = profile.timeDeltas[i] ?? 0
    if (name.startsWith('(idle)')) continue
    times.set(name, (times.get(name) ?? 0) + time)
    total += time
  }
  const sorted = [...times].sort(([, a], [, b]) => b - a).slice(0, SHOWN)
  return [`${benchmark}/${variant}: ${(total / 1e6).toFixed(2)} s`, ...sorted.map(([name, time]) => `  ${((100 * time) / total).toFixed(1).padStart(5)} %  ${name}`)]
}

const place = ({ url, lineNumber }: { url: string; lineNumber: number }) => (url === '' ? '' : `${url.split('/').slice(-3).join('/')}:${lineNumber + 1}`)
