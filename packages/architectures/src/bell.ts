import type { WorkListener } from '@sched/core'

/** Rings when a scheduler may have got work: at most instants of a busy cell most schedulers have not. */
export class Bell implements WorkListener {
  isRung = true

  onReady(): void {
    this.isRung = true
  }

  onMore(): void {
    this.isRung = true
  }
}
