import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sched } from './sched.js'

let runs = 0

/** When the jobs of a trace are submitted, start and end under EASY, in order of submission; and what was recorded of them, as the comparison shows it. */
export async function easySchedule(cwd: string, trace: string, options: readonly string[] = []): Promise<{ readonly jobs: string[]; readonly recorded: string[] }> {
  const out = `easy-${++runs}`
  const { code, err } = await sched(['compare', '--trace', trace, ...options.flatMap((each) => ['--option', each]), '--policies', 'easy', '--seeds', '1', '--quiet', '--out', out], { cwd })
  if (code !== 0) throw new Error(err)
  const lines = readFileSync(join(cwd, out, 'jobs-easy.csv'), 'utf8').trim().split('\n')
  const columns = lines[0]!.split(',')
  const shown = ['submit', 'start', 'end', 'procs_seconds', 'nodes_seconds', 'mem_seconds'].map((name) => columns.indexOf(name)).filter((at) => at >= 0)
  const rows = lines.slice(1).map((line) => shown.map((at) => line.split(',')[at]).join(' '))
  return { jobs: rows.sort(), recorded: readFileSync(join(cwd, out, 'table.csv'), 'utf8').split('\n').filter((line) => line.split(',')[3] === 'recorded') }
}
