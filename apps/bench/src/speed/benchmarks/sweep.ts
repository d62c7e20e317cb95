import { SchedError } from '@sched/core'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { single } from '../harness/figures.js'
import type { Benchmark, Measurement, Outcome, Size, Variant } from '../harness/benchmark.js'

/** The built program; this file is built into `dist/`, its source lies two folders deeper. */
const program = ['../../cli/dist/main.js', '../../../../cli/dist/main.js'].map((path) => fileURLToPath(new URL(path, import.meta.url))).find((path) => existsSync(path))

/** 10 decision times x 2 arrival rates on 5 seeds. */
const experiment = (size: Size) => `name: sweep
seeds: ${size === 'small' ? 1 : 5}
cluster: { nodes: 1000, resources: { cpu: 4, mem: 16 } }
workload: { generate: { omega-example: { horizon: ${size === 'small' ? 100 : 28_800}, demand: { cpu: 1, mem: 2 }, batch: { gap: 20 } } } }
policies: [{ greedy: { placement: random-fit } }]
architecture: { shared-state: { schedulers: { batch: {}, service: {} } } }
matrix:
  architecture.shared-state.decision.job: ${size === 'small' ? '[0.1, 1]' : '[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]'}
  workload.generate.omega-example.batch.gap: [20, 40]
`

/** 100 runs of `sched sweep` on one thread and on two. */
export const sweep: Benchmark = {
  name: 'sweep',
  summary:
    '`sched sweep` with 100 runs (10 decision times x 2 arrival rates on 5 seeds, shared state on 1,000 machines, eight hours of the Omega authors\' example), start and end of the program included, on one thread and on two. These are seconds on the clock: they mean something on an idle machine with two processors only. Both must print the same bytes.',
  missing: () => (program === undefined ? 'the command line is not built (`pnpm build`)' : undefined),
  variants: [variant('one', 1), variant('two', 2)],
  agree: [['one', 'two']],
  figures: ({ one, two }) => [
    single('sweep/one-thread', wall(one!), 's on the clock'),
    single('sweep/two-threads', wall(two!), 's on the clock'),
    single('sweep/two-threads/gain', wall(one!) / wall(two!), 'x', [{ of: 'value', atLeast: 1.5 }]),
  ],
}

const wall = ({ facts }: Measurement) => facts['wall'] ?? NaN

function variant(name: string, threads: number): Variant {
  return {
    name,
    runs: 0,
    prepare: (size) => ({
      async run(hash) {
        const directory = mkdtempSync(join(tmpdir(), 'sched-sweep-'))
        try {
          writeFileSync(join(directory, 'sweep.yaml'), experiment(size))
          const outcome = await swept(directory, threads, size === 'small' ? 4 : 100)
          hash?.add(outcome.check, 0, 0)
          return outcome
        } finally {
          rmSync(directory, { recursive: true, force: true })
        }
      },
    }),
  }
}

/** `check` is a sum over what was printed. */
function swept(cwd: string, threads: number, runs: number): Promise<Outcome> {
  const began = performance.now()
  const child = spawn(
    process.execPath,
    [program ?? '', 'sweep', 'sweep.yaml', '--threads', String(threads), '--quiet', '--json', '-'],
    { cwd, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let check = 0
  child.stdout.on('data', (bytes: Buffer) => bytes.forEach((byte) => (check = (Math.imul(check, 31) + byte) | 0)))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve({ work: runs, check, facts: { wall: (performance.now() - began) / 1000 } })
      else reject(new SchedError('BROKEN_CONTRACT', `the sweep ended with code ${code ?? 'none'}`))
    })
  })
}
