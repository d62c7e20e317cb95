import type { SingleBar } from 'cli-progress'
import type { Io } from './io.js'
import { number } from './output/number.js'

/** What is shown while runs go on. */
export interface Progress {
  /** A run has begun, on whatever thread. */
  begin(what: string): void
  /** Runs done, with parts of runs, and tasks started in all of them. */
  update(runs: number, launches: number): void
  /** Writes a line, above what is drawn. */
  say(line: string): void
  stop(): void
}

const plain = ({ stderr }: Io): Progress => ({ begin: () => undefined, update: () => undefined, say: (line) => void stderr.write(`${line}\n`), stop: () => undefined })

/** A bar with rate and time left on a terminal's stderr; nothing anywhere else. */
export async function progressOf(io: Io, quiet: boolean, runs: number): Promise<Progress> {
  if (quiet || io.stderr.isTTY !== true || io.env['TERM'] === 'dumb') return plain(io)
  const { SingleBar } = await import('cli-progress')
  const format = '{bar} {percentage} %  {done} of {runs} runs: {what}  {rate} tasks/s  {left} left'
  const look = { barCompleteChar: '=', barIncompleteChar: '-', barsize: 24, fps: 5, hideCursor: true, clearOnComplete: true, gracefulExit: false }
  return new Bar(new SingleBar({ format, stream: io.stderr, ...look }), runs, io)
}

/** To the beginning of the line, and what stands there away; the bar is drawn again soon. */
const CLEAR_LINE = '\r\u001B[K'

class Bar implements Progress {
  readonly #bar: SingleBar
  readonly #runs: number
  readonly #io: Io
  readonly #started = performance.now()
  #what = ''
  #isDrawn = false

  constructor(bar: SingleBar, runs: number, io: Io) {
    this.#bar = bar
    this.#runs = runs
    this.#io = io
  }

  begin(what: string): void {
    this.#what = what
    if (this.#isDrawn) return
    this.#isDrawn = true
    this.#bar.start(1000, 0, this.#words(0, 0))
  }

  update(runs: number, launches: number): void {
    this.#bar.update(Math.min(1000, Math.floor((runs / this.#runs) * 1000)), this.#words(runs, launches))
  }

  say(line: string): void {
    this.#io.stderr.write(`${this.#isDrawn ? CLEAR_LINE : ''}${line}\n`)
  }

  stop(): void {
    this.#bar.stop()
  }

  #words(runs: number, launches: number): object {
    const seconds = (performance.now() - this.#started) / 1000
    const rate = launches / seconds
    return {
      done: Math.floor(runs),
      runs: this.#runs,
      what: this.#what,
      rate: number(Number.isFinite(rate) ? Math.round(rate) : 0),
      left: runs > 0 ? inWords((seconds * Math.max(0, this.#runs - runs)) / runs) : '?',
    }
  }
}

function inWords(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}
