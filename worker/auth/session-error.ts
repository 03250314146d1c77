/** The session could not be read: whoever asks may be somebody after all, and should ask again. */
export class SessionUnavailableError extends Error {
  override name = 'SessionUnavailableError'
}
