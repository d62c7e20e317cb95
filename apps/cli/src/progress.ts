import { SingleBar } from 'cli-progress'
import type { Io } from './io.js'
import { number } from './output/number.js'

/** What is shown while runs go on. */
export interface Progress {
  /** Run number `run` of all has begun. */
  begin(run: number, what: string): void
  /** Jobs ended of all in this run, and tasks started in it. */
  update(ended: number, jobs: number | undefined, launches: number): void
  stop(): void
}

const silent: Progress = { begin: () => undefined, update: () => undefined, stop: () => undefined }

/** A bar with rate and time left on a terminal's stderr; nothing anywhere else. */
export function progressOf(io: Io, quiet: boolean, runs: number): Progress {
  if (quiet || io.stderr.isTTY !== true || io.env['TERM'] === 'dumb') return silent
  return new Bar(io, runs)
}

class Bar implements Progress {
  readonly #bar: SingleBar
  readonly #runs: number
  readonly #started = performance.now()
  #run = 0
  #what = ''
  #before = 0
  #launches = 0

  constructor(io: Io, runs: number) {
    this.#runs = runs
    this.#bar = new SingleBar({
      format: '{bar} {percentage} %  run {run}/{runs}: {what}  {rate} tasks/s  {left} left',
      stream: io.stderr,
      barCompleteChar: '=',
      barIncompleteChar: '-',
      barsize: 24,
      fps: 5,
      hideCursor: true,
      clearOnComplete: true,
      gracefulExit: false,
    })
  }

  begin(run: number, what: string): void {
    this.#before += this.#launches
    this.#launches = 0
    this.#run = run
    this.#what = what
    if (run === 1) this.#bar.start(1000, 0, this.#words(0))
  }

  update(ended: number, jobs: number | undefined, launches: number): void {
    this.#launches = launches
    const part = jobs === undefined || jobs === 0 ? 0 : ended / jobs
    const done = (this.#run - 1 + part) / this.#runs
    this.#bar.update(Math.floor(done * 1000), this.#words(done))
  }

  stop(): void {
    this.#bar.stop()
  }

  #words(done: number): object {
    const seconds = (performance.now() - this.#started) / 1000
    const rate = (this.#before + this.#launches) / seconds
    return {
      run: Math.max(1, this.#run),
      runs: this.#runs,
      what: this.#what,
      rate: number(Number.isFinite(rate) ? Math.round(rate) : 0),
      left: done > 0 ? inWords((seconds * (1 - done)) / done) : '?',
    }
  }
}

function inWords(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}
