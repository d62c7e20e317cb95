import type { JobWait } from '@sched/metrics'
import { percent } from '@sched/report'

/** Who held most, with their queues where these are not all the job's own, and what was there when the run began in its place among them; '' if nobody did. */
export function heldText({ holders, prefilled }: Pick<JobWait, 'holders' | 'prefilled'>, own: string): string {
  const shown = holders.filter(({ share }, i) => i === 0 || percent(share) !== percent(0))
  const tellsQueues = shown.some(({ user, queue }) => queue !== own && queue !== user)
  const texts = shown.map(({ id, user, queue, share }) => `${id}${tellsQueues && queue !== user ? ` in ${queue}` : ''} (${percent(share)})`)
  if (prefilled > 0) texts.splice(shown.filter(({ share }) => share >= prefilled).length, 0, `tasks of no job (${percent(prefilled)})`)
  return texts.join(', ')
}
