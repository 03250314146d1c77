/** The session could not be read. The user may be signed in, so the client should retry. */
export class SessionUnavailableError extends Error {
  override name = 'SessionUnavailableError'
}
