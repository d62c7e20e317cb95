const WRAPPED = /\s--wrap[=\s]/

/** The options of the command that submitted a job (SubmitLine), up to `--wrap`: words of the script that follows may look like options. */
export const submitOptions = (command: string): string => command.split(WRAPPED, 1)[0] ?? ''
