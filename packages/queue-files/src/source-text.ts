/** A file as it was read, with the name that messages give it. */
export interface SourceText {
  readonly file: string
  readonly text: string
}
