/** Words of the board before those of its runners: the next run to be taken, the last that may go on, runs done. */
const NEXT = 0
const LAST = 1
const DONE = 2
const WORDS = 4
/** Numbers of each runner: the part of its run that is done, and tasks started so far. */
const OWN = 2

/**
 * What runners on several threads know of each other: whose turn it is, whether to stop, and how far they are. All of it
 * is in shared memory, so that nobody waits for a message.
 */
export class Board {
  /** To be handed to other threads, which make a board of it. */
  readonly memory: SharedArrayBuffer
  readonly #words: Int32Array
  readonly #own: Float64Array

  private constructor(memory: SharedArrayBuffer) {
    this.memory = memory
    this.#words = new Int32Array(memory, 0, WORDS)
    this.#own = new Float64Array(memory, WORDS * 4)
  }

  static for(runners: number, runs: number): Board {
    const board = new Board(new SharedArrayBuffer(WORDS * 4 + runners * OWN * 8))
    board.#words[LAST] = runs - 1
    return board
  }

  static of(memory: SharedArrayBuffer): Board {
    return new Board(memory)
  }

  /** The number of the next run, `undefined` when there is none. Every number is given to one runner only. */
  take(): number | undefined {
    const run = Atomics.add(this.#words, NEXT, 1)
    return this.mayGoOn(run) ? run : undefined
  }

  get hasMore(): boolean {
    return this.mayGoOn(Atomics.load(this.#words, NEXT))
  }

  /** False once a run before this one has failed, or all is to stop: so the failure that is reported does not depend on threads. */
  mayGoOn(run: number): boolean {
    return run <= Atomics.load(this.#words, LAST)
  }

  /** Run number `run` has failed; -1: all are to stop. Earlier runs go on. */
  stopAfter(run: number): void {
    for (let last = Atomics.load(this.#words, LAST); run < last; last = Atomics.load(this.#words, LAST))
      Atomics.compareExchange(this.#words, LAST, last, run)
  }

  progress(runner: number, part: number, launches: number): void {
    this.#own[runner * OWN] = part
    this.#own[runner * OWN + 1] = launches
  }

  done(): void {
    Atomics.add(this.#words, DONE, 1)
  }

  /** Runs done and parts of runs, and tasks started, over all runners. */
  get sum(): { readonly runs: number; readonly launches: number } {
    let runs = Atomics.load(this.#words, DONE)
    let launches = 0
    for (let i = 0; i < this.#own.length; i += OWN) {
      runs += this.#own[i] as number
      launches += this.#own[i + 1] as number
    }
    return { runs, launches }
  }
}
