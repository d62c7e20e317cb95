const WRAPPED = /\s--wrap[=\s]/

/** The options of a command that submitted a job (SubmitLine), up to a script that it wraps (`--wrap`), whose words may look like some. */
export const submitOptions = (command: string): string => command.split(WRAPPED, 1)[0] ?? ''
