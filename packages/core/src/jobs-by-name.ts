import type { JobId } from './ids.js'
import type { WorkView } from './views.js'

/** The jobs in the system by name, for who takes up a memory in which they stand so. */
export const jobsByName = (work: Pick<WorkView, 'jobs' | 'name'>): ReadonlyMap<string, JobId> => new Map(work.jobs().map((job) => [work.name(job), job]))
