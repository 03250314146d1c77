/**
 * Turnstile challenges that the server required. `solveCaptcha` publishes one request at a time; the step mounted at the root of the page
 * shows it and resolves it with a token.
 */
export type CaptchaPurpose = 'guest' | 'mail'
export type CaptchaRequest = { readonly purpose: CaptchaPurpose; readonly answer: (token: string | null) => void }

let pending: CaptchaRequest | null = null
let last: Promise<unknown> = Promise.resolve()
const listeners = new Set<() => void>()

export const pendingCaptcha = (): CaptchaRequest | null => pending

export function subscribeCaptcha(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** A token that is valid for one request; null when the user cancels. */
export function solveCaptcha(purpose: CaptchaPurpose): Promise<string | null> {
  const solved = last.then(async () => {
    const { promise, resolve } = Promise.withResolvers<string | null>()
    publish({ purpose, answer: resolve })
    const token = await promise
    publish(null)
    return token
  })
  last = solved
  return solved
}

function publish(request: CaptchaRequest | null): void {
  pending = request
  for (const listener of listeners) listener()
}

/** Read by better-auth's captcha plugin. */
export const captchaHeaders = (token: string | null): Record<string, string> => (token === null ? {} : { 'x-captcha-response': token })
