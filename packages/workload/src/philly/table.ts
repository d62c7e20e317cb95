import type { JobSpec } from '@sched/core'
import { headerOf, HeaderRows, wholeOf } from '../table/header-rows.js'
import { heldParser, type RowReader } from '../table/held-jobs.js'
import { BadLine, type LinePlace, type TraceFormat } from '../trace/format.js'
import { gpuStage, phillyOptions, type PhillyOptions } from './options.js'

const needed = ['timestamp', 'duration', 'num_gpus', 'cluster']

/**
 * The simplified table of the Philly trace that papers on GPU scheduling use (`timestamp,duration,num_gpus,gpu_time,cluster`). The virtual cluster
 * names the queue. Rows are in no order and have no ids, so jobs are named by their row.
 *
 * Source: Jeon et al., USENIX ATC 2019; the table as published with Sia (SOSP 2023).
 */
export const phillyTableFormat: TraceFormat<typeof phillyOptions> = {
  name: 'philly-table',
  summary: 'simplified table of Microsoft\'s Philly trace (CSV)',
  source: 'Jeon et al., USENIX ATC 2019',
  options: phillyOptions,
  isHeld: true,
  detect: (head) => needed.every((name) => headerOf(head).includes(name)),
  create: (options, place) => heldParser(new PhillyRows(options, place), place, 'first'),
}

class PhillyRows implements RowReader {
  readonly #rows: HeaderRows
  #count = 0

  constructor(private readonly options: PhillyOptions, place: LinePlace) {
    this.#rows = new HeaderRows(place, needed, `The table has ${needed.join(', ')}.`)
  }

  job(bytes: Uint8Array, from: number, to: number): JobSpec | undefined {
    const row = this.#rows.row(bytes, from, to)
    if (row === undefined) return undefined
    this.#count++
    const submit = row.instant('timestamp')
    if (Number.isNaN(submit)) throw new BadLine('timestamp', 'is not known.')
    const duration = row.number('duration')
    if (Number.isNaN(duration)) throw new BadLine('duration', 'is empty.')
    const gpus = wholeOf(row, 'num_gpus', 100_000)
    if (gpus === 0) throw new BadLine('num_gpus', 'found 0, expected at least 1.')
    const queue = row.text('cluster')
    return { id: `job-${this.#count}`, submit, ...(queue !== '' && { queue }), stages: [gpuStage(gpus, duration, this.options)] }
  }
}
