import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { dirname, resolve } from 'node:path'

/** The parts of V8's CPU profile that are read here. */
interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

interface Frame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
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

/** Where a variant spent its time itself, without what it called: by package, then the hottest functions; lines of text. */
export function hottest(folder: string, benchmark: string, variant: string): string[] {
  const profile = JSON.parse(readFileSync(profilePath(folder, benchmark, variant), 'utf8')) as Profile
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]))
  const [byPackage, byFunction] = [new Map<string, number>(), new Map<string, number>()]
  let total = 0
  for (const [i, id] of profile.samples.entries()) {
    const frame = frames.get(id) as Frame
    if (profilersOwn.has(frame.functionName)) continue
    const time = profile.timeDeltas[i] ?? 0
    add(byPackage, packageOf(frame), time)
    add(byFunction, `${frame.functionName || '(anonymous)'} ${place(frame)}`, time)
    total += time
  }
  const shares = ([name, time]: readonly [string, number]) => ({ name, share: (100 * time) / total })
  const packages = sorted(byPackage).map(shares).map(({ name, share }) => `${name} ${share.toFixed(0)} %`)
  const functions = sorted(byFunction).slice(0, SHOWN).map(shares).map(({ name, share }) => `  ${share.toFixed(1).padStart(5)} %  ${name}`)
  return [`${benchmark}/${variant}: ${(total / 1e6).toFixed(2)} s; ${packages.join(', ')}`, ...functions]
}

/** Starting and stopping the profiler, and waiting. */
const profilersOwn = new Set(['(idle)', 'dispatch', 'post'])
const add = (times: Map<string, number>, name: string, time: number) => times.set(name, (times.get(name) ?? 0) + time)
const sorted = (times: ReadonlyMap<string, number>) => [...times].sort(([, a], [, b]) => b - a)
const packageOf = ({ url, functionName }: Frame) => /\/(?:packages|apps)\/([\w-]+)\//.exec(url)?.[1] ?? (functionName.startsWith('(') ? functionName : 'node')
const place = ({ url, lineNumber }: Frame) => (url === '' ? '' : `${url.split('/').slice(-3).join('/')}:${lineNumber + 1}`)
