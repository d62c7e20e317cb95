import { grown, None, type JobId, type ResourceId, type ShapeId, type WorkView } from '@sched/core'

/** What the next tasks of waiting jobs ask for, by shape; so the least that one of them asks of each resource is known without a look at all. */
export class WaitingShapes {
  readonly #work: WorkView
  readonly #resources: readonly ResourceId[]
  /** By job: the shape that it counts for, `None` where it does not wait. */
  #shapes = new Int32Array(64).fill(None)
  readonly #jobs = new Map<ShapeId, number>()
  readonly #least: Float64Array
  #isCurrent = false

  constructor(work: WorkView, resources: readonly ResourceId[]) {
    this.#work = work
    this.#resources = resources
    this.#least = new Float64Array(resources.length)
  }

  /** Counts a job for the shape of its next task; `None`: for none. */
  set(job: JobId, shape: ShapeId | None): void {
    const before = (this.#shapes[job] ?? None) as ShapeId | None
    if (shape === before) return
    this.#shapes = grown(this.#shapes, job + 1, None)
    this.#shapes[job] = shape
    if (before !== None) this.#add(before, -1)
    if (shape !== None) this.#add(shape, 1)
  }

  /** By resource of the lane, the least that the next task of a waiting job asks; `Infinity` where nobody waits. */
  get least(): Float64Array {
    if (this.#isCurrent) return this.#least
    this.#isCurrent = true
    this.#least.fill(Infinity)
    for (const shape of this.#jobs.keys())
      for (let i = 0; i < this.#least.length; i++) this.#least[i] = Math.min(this.#least[i] as number, this.#work.demand(shape, this.#resources[i] as ResourceId))
    return this.#least
  }

  #add(shape: ShapeId, by: number): void {
    const jobs = (this.#jobs.get(shape) ?? 0) + by
    if (jobs === 0) this.#jobs.delete(shape)
    else this.#jobs.set(shape, jobs)
    if (jobs === 0 || jobs === by) this.#isCurrent = false
  }
}
