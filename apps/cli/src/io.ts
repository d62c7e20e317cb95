/** Where a stream of text goes: the process's own, or what a test reads. */
export interface Sink extends NodeJS.WritableStream {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** All that a command knows of the world around it, so that a test can be that world. */
export interface Io {
  readonly stdout: Sink
  readonly stderr: Sink
  readonly env: Readonly<Record<string, string | undefined>>
  /** Directory that paths on the command line are relative to. */
  readonly cwd: string
  /** The command line, without `node sched`. */
  readonly argv?: readonly string[]
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
}
