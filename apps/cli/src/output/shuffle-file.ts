import type { Observer } from '@sched/core'
import { measuredJobs, type ClusterShape } from '@sched/placement'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writing } from './output-file.js'
import { fileNameOf, partOf, type RunsByPolicy, type SharedPlace } from './run-parts.js'

/** The first line of a file of measured jobs; the jobs follow, a line each. */
export const shuffleFormat = { format: 'sched-shuffle', version: 1 } as const

/** Where the maps of every job of one run were and what it fetched between racks: what `sched bayes` learns from. */
export class ShuffleFile {
  readonly observer: Observer
  readonly #policy: string
  readonly #lines: string[] = []
  #cluster: ClusterShape | undefined
  #fetched = 0

  constructor(policy: string, seed: number) {
    this.#policy = policy
    this.observer = measuredJobs((job, cluster) => {
      this.#cluster = cluster
      this.#fetched += job.local + job.rack + job.cross
      this.#lines.push(`${JSON.stringify({ seed, ...job })}\n`)
    })
  }

  /** Writes what has been seen, unless nothing was fetched at all. Throws `IO`. */
  write({ place, directory }: SharedPlace, run: number): void {
    if (this.#fetched === 0) return
    const head = `${JSON.stringify({ ...shuffleFormat, policy: this.#policy, cluster: this.#cluster })}\n`
    writing(directory, () => writeFileSync(partOf(place, run, ENDING), head + this.#lines.join('')))
  }
}

/** One file of measured jobs per policy, `shuffle-fifo.jsonl`, from those of its runs, which go. Throws `IO`. */
export function joinShuffleFiles({ place, directory }: SharedPlace, runs: RunsByPolicy): void {
  const policies = [...runs.keys()]
  writing(directory, () => {
    for (const [policy, numbers] of runs) {
      const parts = numbers.map((run) => partOf(place, run, ENDING)).filter((path) => existsSync(path))
      const texts = parts.map((path) => readFileSync(path, 'utf8'))
      if (texts.length === 0) continue
      const bodies = texts.map((text, i) => (i === 0 ? text : text.slice(text.indexOf('\n') + 1)))
      writeFileSync(join(place, fileNameOf('shuffle', policy, policies, '.jsonl')), bodies.join(''))
      for (const path of parts) rmSync(path)
    }
  })
}

const ENDING = 'shuffle.jsonl'
