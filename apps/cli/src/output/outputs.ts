import { SchedError } from '@sched/core'
import type { JobRow } from '@sched/metrics'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Experiment } from '../experiment/experiment.js'
import type { Row } from '../figures.js'
import type { Io } from '../io.js'
import type { RunResult } from '../run-once.js'
import { experimentYaml } from './experiment-yaml.js'
import { JobFiles } from './job-files.js'
import { OutputDirectory } from './output-directory.js'
import { outputFile, writing, type OutputFile } from './output-file.js'
import { summaryJson } from './summary-json.js'
import { tableCsv } from './table-csv.js'

export interface OutputOptions {
  readonly json?: string
  readonly csv?: string
  readonly out?: string
  readonly force?: boolean
  readonly quiet?: boolean
}

/** Everything that a command was asked to write: prepared before the runs, written after them. */
export class Outputs {
  readonly #json: OutputFile | undefined
  readonly #csv: OutputFile | undefined
  readonly #directory: OutputDirectory | undefined
  readonly #jobs: JobFiles | undefined
  readonly #path: string
  readonly #target: string

  constructor({ json, csv, out, force = false }: OutputOptions, policies: readonly string[], io: Io) {
    if (json === '-' && csv === '-') throw new SchedError('BAD_OPTION', 'both go to standard output.', { field: '--json and --csv' }, 'Give one of them a file name.')
    this.#json = json === undefined ? undefined : outputFile(json, io, force)
    this.#csv = csv === undefined ? undefined : outputFile(csv, io, force)
    this.#path = out ?? ''
    this.#target = resolve(io.cwd, this.#path)
    this.#directory = out === undefined ? undefined : new OutputDirectory(out, io.cwd, force)
    this.#jobs = this.#directory === undefined ? undefined : new JobFiles(this.#directory.place, this.#path, policies)
  }

  /** To be told of every finished job, if anybody asked for them. */
  get listener(): { onJob?: (policy: string, seed: number, row: JobRow) => void } {
    const jobs = this.#jobs
    return jobs === undefined ? {} : { onJob: (policy, seed, row) => jobs.add(policy, seed, row) }
  }

  complete(experiment: Experiment, runs: readonly RunResult[], rows: readonly Row[]): void {
    const summary = summaryJson(experiment, runs, rows)
    const table = tableCsv(rows)
    const directory = this.#directory
    if (directory !== undefined) {
      this.#jobs?.close()
      const put = (name: string, text: string) => writing(this.#path, () => writeFileSync(join(directory.place, name), text))
      put('summary.json', summary)
      put('table.csv', table)
      put('experiment.yaml', experimentYaml(experiment, this.#target))
      directory.complete()
    }
    this.#json?.write(summary)
    this.#csv?.write(table)
  }

  /** Leaves nothing half-written; of no effect once complete. */
  discard(): void {
    try {
      this.#jobs?.close()
    } finally {
      this.#directory?.discard()
    }
  }
}
