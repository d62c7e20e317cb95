import { SchedError } from '@sched/core'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Description } from '../experiment/experiment.js'
import type { Io } from '../io.js'
import { experimentYaml } from './experiment-yaml.js'
import { joinJobFiles } from './job-file.js'
import { OutputDirectory } from './output-directory.js'
import { outputFile, writing, type OutputFile } from './output-file.js'
import type { RunsByPolicy, SharedPlace } from './run-parts.js'
import { joinScheduleFiles } from './schedule-file.js'
import { joinShuffleFiles } from './shuffle-file.js'
import { spareInputs } from './spare-inputs.js'
import { nameSwfFiles } from './swf-file.js'

export interface OutputOptions {
  readonly json?: string
  readonly csv?: string
  readonly html?: string
  readonly out?: string
  readonly schedule?: boolean
  readonly parquet?: boolean
  readonly force?: boolean
  readonly quiet?: boolean
}

/** What a command has to say about its results. */
export interface Results {
  readonly summary: string
  readonly table: string
  /** One HTML page, where it was asked for. */
  readonly page?: string | undefined
  /** Numbers of the runs of each policy, where their jobs were written. */
  readonly jobs?: RunsByPolicy
  readonly seeds?: readonly number[]
  readonly resources?: readonly string[]
}

/** Everything that a command was asked to write: prepared before the runs, written after them. */
export class Outputs {
  readonly #json: OutputFile | undefined
  readonly #csv: OutputFile | undefined
  readonly #html: OutputFile | undefined
  readonly #directory: OutputDirectory | undefined
  readonly #schedule: boolean
  readonly #parquet: boolean
  readonly #path: string
  readonly #target: string

  /** `inputs` are the files that the command reads, which none of its outputs replaces. */
  constructor({ json, csv, html, out, force = false, schedule = false, parquet = false }: OutputOptions, inputs: readonly string[], io: Io) {
    if (schedule && out === undefined && html === undefined)
      throw new SchedError('BAD_OPTION', 'has no place to go.', { field: '--schedule' }, 'Name a directory with --out, or a page with --html.')
    if (parquet && out === undefined) throw new SchedError('BAD_OPTION', 'has no place to go.', { field: '--parquet' }, 'Name a directory with --out.')
    this.#schedule = schedule
    this.#parquet = parquet
    inDifferentPlaces({ '--json': json, '--csv': csv, '--html': html }, io.cwd)
    spareInputs([json, csv, html, out], inputs, io.cwd)
    this.#json = json === undefined ? undefined : outputFile(json, io, force)
    this.#csv = csv === undefined ? undefined : outputFile(csv, io, force)
    this.#html = html === undefined ? undefined : outputFile(html, io, force)
    this.#path = out ?? ''
    this.#target = resolve(io.cwd, this.#path)
    this.#directory = out === undefined ? undefined : new OutputDirectory(out, io.cwd, force)
  }

  /** Where the jobs of runs go, if anybody asked for them. */
  get jobs(): SharedPlace | undefined {
    return this.#directory === undefined ? undefined : { place: this.#directory.place, directory: this.#path, schedule: this.#schedule, parquet: this.#parquet }
  }

  async complete(description: Description, { summary, table, page = '', jobs, seeds = [], resources = [] }: Results): Promise<void> {
    const directory = this.#directory
    if (directory !== undefined) {
      if (this.jobs !== undefined && jobs !== undefined) {
        await joinJobFiles(this.jobs, jobs, seeds, resources)
        nameSwfFiles(this.jobs, jobs, seeds)
        await joinScheduleFiles(this.jobs, jobs, seeds)
        joinShuffleFiles(this.jobs, jobs)
      }
      const put = (name: string, text: string) => writing(this.#path, () => writeFileSync(join(directory.place, name), text))
      put('summary.json', summary)
      put('table.csv', table)
      put('experiment.yaml', experimentYaml(description, this.#target))
    }
    inTurn([() => directory?.complete(), () => this.#json?.write(summary), () => this.#csv?.write(table), () => this.#html?.write(page)])
  }

  /** Leaves nothing half-written; of no effect once complete. */
  discard(): void {
    this.#directory?.discard()
  }
}

/** Puts everything in its place, also after something that had to go to another one, which is told at the end. */
function inTurn(writes: readonly (() => void)[]): void {
  let taken: SchedError | undefined
  for (const write of writes)
    try {
      write()
    } catch (error) {
      if (!(error instanceof SchedError) || error.code !== 'TAKEN_NAME') throw error
      taken ??= error
    }
  if (taken !== undefined) throw taken
}

/** Whether nothing else is printed: the user wants it quiet, or standard output is a file. */
export const isSilent = ({ quiet = false, json, csv, html }: Pick<OutputOptions, 'quiet' | 'json' | 'csv' | 'html'>): boolean => quiet || [json, csv, html].includes('-')

/** Throws `BAD_OPTION` where two options name one place. */
export function inDifferentPlaces(files: Readonly<Record<string, string | undefined>>, cwd: string): void {
  const given = Object.entries(files).flatMap(([option, path]) => (path === undefined ? [] : [{ option, path, place: path === '-' ? path : resolve(cwd, path) }]))
  for (const [i, { option, path, place }] of given.entries()) {
    const twin = given.slice(0, i).find((each) => each.place === place)
    if (twin === undefined) continue
    const field = `${twin.option} and ${option}`
    if (path === '-') throw new SchedError('BAD_OPTION', 'both go to standard output.', { field }, 'Give one of them a file name.')
    throw new SchedError('BAD_OPTION', `both go to "${twin.path}".`, { field }, 'Give them different names.')
  }
}
