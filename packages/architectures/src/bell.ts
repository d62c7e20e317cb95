import type { WorkListener } from '@sched/core'

/**
 * Rings when schedulers may have got work, since at most instants of a busy cell none has. Schedulers share a bell, so that one check covers all of
 * them.
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
