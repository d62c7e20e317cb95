import { Simulation, type RunState } from '@sched/sim'
import { interruptible, isTurnDue } from './interruption.js'

/** Milliseconds that instants between two looks at the clock may take, if there are several. */
const LOOK = 2

/** Pauses when it is time for a look at signals, however long instants take. */
export class PausingSimulation extends Simulation {
  /** Whether code of others runs, which may never pause. */
  isOfOthers = false
  #steps = 1

  override advance(limit: number, until?: number): RunState {
    const work = () => this.#untilTurn(limit, until)
    return this.isOfOthers ? interruptible(work) : work()
  }

  #untilTurn(limit: number, until: number | undefined): RunState {
    for (let before = performance.now(); ; ) {
      const state = super.advance(Math.min(limit, this.#steps), until)
      if (state !== 'paused' || isTurnDue()) return state
      const now = performance.now()
      this.#steps = now - before > LOOK ? Math.max(1, this.#steps >> 1) : Math.min(limit, this.#steps * 2)
      before = now
    }
  }
}
