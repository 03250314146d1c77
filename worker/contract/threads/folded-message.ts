const foldedChars = 1600
const foldedLines = 18

/** True for a message of the user that is first shown in part. */
export const isFoldedMessage = (text: string): boolean =>
  text.length > foldedChars || text.split('\n', foldedLines + 1).length > foldedLines
