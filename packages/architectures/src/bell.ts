import type { WorkListener } from '@sched/core'

/**
 * Rings when schedulers may have got work: at most instants of a busy cell none has. Some schedulers share a bell, so
 * that all of them need one look.
 */
export class Bell implements WorkListener {
  isRung = true

  onReady(): void {
    this.isRung = true
  }

  onMore(): void {
    this.isRung = true
  }
}
