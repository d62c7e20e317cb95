import type { JobId } from './ids.js'
import type { NodeRequirement } from './node-selector.js'
import type { TaskSelector } from './placement-rule.js'
import { ownValue } from './own-value.js'

/** What selectors look at; all tasks of one stage are alike in it. */
export interface Selectable {
  readonly job: JobId
  readonly user: string
  readonly tags: Readonly<Record<string, string>>
}

/** Whether a selector, used by a rule of the job `owner`, selects the tasks. */
export function selectsTasks({ users, job, ...asked }: TaskSelector, tasks: Selectable, owner?: JobId): boolean {
  if (users !== undefined && !users.includes(tasks.user)) return false
  if (job !== undefined && (job === 'own') !== (tasks.job === owner)) return false
  return tagsMeet(tasks.tags, asked)
}

/** Whether tags meet the requirements. */
export const tagsMeet = (own: Readonly<Record<string, string>>, { tags = {}, matchExpressions = [] }: Pick<TaskSelector, 'tags' | 'matchExpressions'>): boolean =>
  Object.entries(tags).every(([key, value]) => ownValue(own, key) === value) && matchExpressions.every((each) => meets(each, ownValue(own, each.key)))

/** Source: Kubernetes, apimachinery, labels/selector.go. */
function meets({ operator, values = [] }: NodeRequirement, value: string | undefined): boolean {
  if (operator === 'Exists' || operator === 'DoesNotExist') return (value !== undefined) === (operator === 'Exists')
  return (value !== undefined && values.includes(value)) === (operator === 'In')
}
