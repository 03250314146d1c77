/** The technical details of an error. */
export const ErrorDetails = ({ error }: { readonly error: unknown }) => (
  <pre className="max-h-80 w-full max-w-2xl overflow-auto rounded-lg bg-muted p-4 text-left font-mono text-code wrap-anywhere whitespace-pre-wrap">
    {describe(error)}
  </pre>
)

/** The error with its causes and the stack. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = error.stack?.includes(error.message) ? error.stack : `${error.name}: ${error.message}`
  return error.cause === undefined ? own : `${own}\n\nCaused by: ${describe(error.cause)}`
}
