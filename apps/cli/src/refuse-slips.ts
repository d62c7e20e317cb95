import type { Command } from 'commander'

/** Options that collect what they are given. */
const repeatable = new Set(['option', 'plugin'])

/**
 * `--json --quiet` lacks the file, and does not write to one called --quiet; of `--queues a.xml --queues b.xml` the first would be left out
 * in silence; `--out "$UNSET"` is not this directory.
 */
export function refuseSlips(command: Command): void {
  for (const option of command.options) {
    if (!option.required) continue
    let isGiven = false
    command.on(`option:${option.name()}`, (value: string) => {
      if (/^--./.test(value)) command.error(`error: option '${option.flags}' argument missing`)
      if (value === '' && /<(file|dir|module|files)>$/.test(option.flags))
        command.error(`error: option '${option.flags}' argument '' is invalid. Expected a name; a variable of the shell may be unset.`)
      if (isGiven && !repeatable.has(option.name()))
        command.error(
          `error: option '${option.flags}' given twice${/<(list|files|nodes|queues)>$/.test(option.flags) ? '; join what it lists with commas' : ''}`,
        )
      isGiven = true
    })
  }
  command.hook('preAction', (_, { args, registeredArguments }) => {
    const at = args.indexOf('')
    if (at >= 0) command.error(`error: argument '${registeredArguments[at]?.name() ?? ''}' is empty. Expected a name; a variable of the shell may be unset.`)
  })
  command.commands.forEach(refuseSlips)
}
