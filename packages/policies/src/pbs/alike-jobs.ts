import { listOf, type JobId, type Round } from '@sched/core'
import type { PbsRights } from './pbs-rights.js'

/** What makes the kind of a job, and the kind. */
interface Known {
  readonly rights: number
  readonly queue: number
  readonly user: number
  readonly account: string
  readonly licenses: unknown
  readonly shape: number
  readonly tasks: number
  readonly least: number
  readonly most: number
  readonly isGang: boolean
  readonly kind: number
}

/**
 * Kinds of jobs: those of one may preempt the same ones and ask for the same, and by their users and accounts they may come to be over the same limits. Of every
 * waiting job its kind is asked for whenever one has started, so it is put together only where something of it has changed.
 */
export class AlikeJobs {
  readonly #rights: Pick<PbsRights, 'kindOf'>
  /** Kinds by what makes one. */
  readonly #kinds = new Map<string, number>()
  /** By job; ids are used again, so what is known may be of a job that has ended. */
  readonly #known: (Known | undefined)[] = listOf()

  constructor(rights: Pick<PbsRights, 'kindOf'>) {
    this.#rights = rights
  }

  /** The kind of a waiting job, a small number. */
  kindOf(job: JobId, { work, lane }: Round): number {
    const known = this.#known[job]
    const rights = this.#rights.kindOf(job)
    const [queue, user, account, licenses] = [work.queue(job), work.user(job), work.account(job), work.licenses(job)]
    const [shape, tasks, least, most] = [work.shape(job, lane), work.together(job, lane), work.minNodes(job), work.maxNodes(job)]
    const isGang = work.isGangJob(job)
    if (known?.rights === rights && known.queue === queue && known.user === user && known.account === account && known.licenses === licenses)
      if (known.shape === shape && known.tasks === tasks && known.least === least && known.most === most && known.isGang === isGang) return known.kind
    const asks = isGang ? `job ${job}` : `${shape} ${tasks} ${least} ${most}` // a job of several stages asks for more than its next one
    const kind = this.#interned(`${rights} ${queue} ${user} ${asks} ${JSON.stringify([account, licenses])}`)
    this.#known[job] = { rights, queue, user, account, licenses, shape, tasks, least, most, isGang, kind }
    return kind
  }

  #interned(text: string): number {
    let kind = this.#kinds.get(text)
    if (kind === undefined) this.#kinds.set(text, (kind = this.#kinds.size))
    return kind
  }
}
