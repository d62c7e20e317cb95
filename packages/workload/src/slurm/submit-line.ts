const WRAPPED = /\s--wrap[=\s]/

/** The options of the command that submitted a job (SubmitLine), up to `--wrap`: words of the script that follows may look like options. */
export const submitOptions = (command: string): string => command.split(WRAPPED, 1)[0] ?? ''

/**
 * The options of a record's own job or part. In the command of a heterogeneous job the options of its parts stand between colons; `id` `123+1` is the
 * second part.
 */
export function ownOptions(command: string, id: string): string {
  const parts = ` ${submitOptions(command)} `.split(/\s:(?=\s)/)
  const part = Number(/\+(\d+)$/.exec(id)?.[1] ?? 0)
  return parts[parts.length === 1 ? 0 : part] ?? ''
}

/** The value of an option in its long form or its short one (`-n4`, `-n 4`); the last one counts. */
export const valueOf = (options: string, long: string, short?: string): string | undefined => {
  const form = short === undefined ? `--${long}[=\\s]\\s*` : `(?:--${long}[=\\s]\\s*|-${short}\\s*)`
  return [...options.matchAll(new RegExp(`\\s${form}["']?([^\\s"']+)`, 'g'))].at(-1)?.[1]
}

/** Whether a job asked for consecutive nodes (`--contiguous`). */
export const isContiguousIn = (command: string, id: string): boolean => /\s--contiguous(?=\s|$)/.test(ownOptions(command, id))

/**
 * The reservations that a job asked for (`--reservation=a,b`), '' if it asked for none. In the database the name of one may be missing, of jobs that were
 * submitted before it began.
 */
export const reservationIn = (command: string, id: string): string =>
  [...ownOptions(command, id).matchAll(/\s--reservation[=\s]\s*["']?([^\s"']+)/g)].at(-1)?.[1] ?? ''
