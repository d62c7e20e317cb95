const OF_WAITING = /^(\d+)_\[[^\]]*%(\d{1,9})\]$/
const OF_COMMAND = /(?:^|\s)(?:--array(?:=|\s+)|-a\s*)["']?[\d,:-]+%(\d{1,9})/

/** What a record tells about its array. */
interface Said {
  readonly id: string
  readonly array: string | undefined
  /** The command that submitted it; '' if unknown. */
  readonly command: string
  /** The throttle in a field of its own; 0 or NaN if there is none. */
  readonly most?: number
}

/**
 * How many tasks of an array may run at once (ArrayTaskThrottle). Records tell it in the id of waiting tasks (`123_[4-7%2]`), in the command
 * (SubmitLine, `--array=0-99%4`), or in JSON in a field of its own. What one record tells holds for all tasks of the array.
 *
 * Source: Slurm, `src/sacct/print.c` and manual page of `sbatch`.
 */
export class ArrayThrottles {
  readonly #found = new Map<string, number>()

  /** Throttles by array. */
  get found(): ReadonlyMap<string, number> {
    return this.#found
  }

  note({ id, array, command, most = 0 }: Said): void {
    const [, waiting, ofWaiting = '0'] = OF_WAITING.exec(id) ?? []
    const name = waiting ?? array
    const number = [Number(ofWaiting), most, Number(OF_COMMAND.exec(command)?.[1] ?? 0)].find((each) => each > 0 && each < Infinity)
    if (name !== undefined && number !== undefined) this.#found.set(name, number)
  }
}
