import { SchedError } from '@sched/core'

/** Runs something whose errors name fields of a part, and names them as fields of the experiment: beneath `part`. */
export function fieldsUnder<T>(part: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw error instanceof SchedError ? under(part, error) : error
  }
}

/** The error of a field of a part, or of the part itself, as of a field of the experiment. */
export const under = (part: string, error: SchedError): SchedError => error.at({ field: error.place.field === undefined ? part : `${part}.${error.place.field}` })
