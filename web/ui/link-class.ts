/** A link at the end of a line that says what is wrong: where that can be changed. */
export const linkClass = 'shrink-0 rounded-sm whitespace-nowrap font-medium text-accent underline-offset-4 hover:underline'
