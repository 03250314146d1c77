/** A link at the end of a notice, to the page that resolves it. */
export const linkClass = 'shrink-0 rounded-sm whitespace-nowrap font-medium text-accent underline-offset-4 hover:underline'
