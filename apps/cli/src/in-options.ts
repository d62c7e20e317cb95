/** What messages of the packages say in the words of a program, and what that is on the command line. */
const words: Readonly<Record<string, string>> = {
  'with onBadLine "skip"': 'with --on-bad-line skip',
  'with the option wide=skip': 'with --option wide=skip',
  'Read it with stream: true.': 'Is it the right file? Of traces those that are not packed are read in parts.',
  'it with force.': 'it with --force.',
  'of a log: `tasks: each`': 'of a log: `--option tasks=each`',
  'of records that tell the nodes of jobs: `tasks: node`': 'of records that tell the nodes of jobs: `--option tasks=node`',
}

/** A message in the words of the command line. */
export const inOptions = (message: string): string => Object.entries(words).reduce((text, [said, option]) => text.replace(said, option), message)
