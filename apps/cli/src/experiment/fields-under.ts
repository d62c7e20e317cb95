import { SchedError } from '@sched/core'

/** Runs something whose errors name fields of a part, and names them as fields of the experiment: beneath `part`. */
export function fieldsUnder<T>(part: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof SchedError)) throw error
    const { field } = error.place
    throw error.at({ field: field === undefined ? part : `${part}.${field}` })
  }
}
