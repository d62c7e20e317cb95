import type * as z from '@sched/bundled/zod'
import { YamlSource } from '@sched/cluster'
import { SchedError } from '@sched/core'
import { isQueueFile } from '@sched/queue-files'
import { detectFormatOf } from '@sched/workload'
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readText } from '../read-text.js'
import type { Description } from './experiment.js'
import { experimentSchema } from './schema.js'

/** What a file describes, without a workload where the command line has one. */
export interface Base extends Omit<Description, 'spec'> {
  readonly spec: z.output<typeof withoutJobs>
}

const withoutJobs = experimentSchema.partial({ workload: true })

/** An experiment file, checked against the schema. Throws `IO`, and `BAD_INPUT` with line and column. */
export const readExperiment = (file: string, cwd: string): Description => readAs(experimentSchema, file, cwd)

/** The same of a file that need not say what the jobs are. */
export const readBase = (file: string, cwd: string): Base => readAs(withoutJobs, file, cwd)

function readAs<S extends z.ZodType>(schema: S, file: string, cwd: string) {
  const path = resolve(cwd, file)
  const text = read(path, file)
  refuseTrace(text, file)
  if (isQueueFile(text)) throw new SchedError('BAD_INPUT', 'is a queue file, not an experiment.', { file }, `Use \`--queues ${file}\`.`)
  const source = new YamlSource(text, file)
  return { spec: source.read(schema), directory: dirname(path), source }
}

function read(path: string, file: string): string {
  try {
    return readText(path)
  } catch (error) {
    const advice = adviceFor(path, file)
    throw advice !== undefined && error instanceof SchedError ? new SchedError('IO', error.fact, error.place, advice) : error
  }
}

/** A way out for what is often given in place of an experiment. */
function adviceFor(path: string, file: string): string | undefined {
  if (existsSync(join(path, 'experiment.yaml'))) return `The experiment of these results is ${join(file, 'experiment.yaml')}.`
  if (!/^[\w-]+$/.test(file) || existsSync(path)) return undefined
  return 'An experiment is a file; policies are named by --policy or --policies, generators by --generate, and a job to explain by --job.'
}

function refuseTrace(text: string, file: string): void {
  let format: string
  try {
    format = detectFormatOf(new TextEncoder().encode(text.slice(0, 65_536))).summary
  } catch {
    return
  }
  throw new SchedError('BAD_INPUT', `is a trace (${format}), not an experiment.`, { file }, `Use \`--trace ${file}\`.`)
}
