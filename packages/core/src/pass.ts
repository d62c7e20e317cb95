/** One pass of a policy over its queue. Only some policies report their passes. */
export interface Pass {
  /** `first`: jobs start in order until one does not fit; `plan`: later jobs are considered, too. */
  readonly kind: 'first' | 'plan'
  /** Jobs waiting when the pass began. */
  readonly waiting: number
  /** Jobs considered, including those that a limit or an enclosing policy keeps from running. */
  readonly looked: number
  /** Jobs for which the pass looked for a start. */
  readonly tried: number
  /** Jobs that started. */
  readonly started: number
  /** Entries in the plan when the pass ended; absent if there is no plan. */
  readonly entries?: number
}
