/**
 * Turnstile challenges that the server required. `solveCaptcha` publishes one request at a time; the step mounted at the root of the page
 * shows it and resolves it with a token.
 */
import { createStore } from './store.ts'

type CaptchaPurpose = 'guest' | 'mail'
export type CaptchaRequest = { readonly purpose: CaptchaPurpose; readonly answer: (token: string | null) => void }

export const pendingCaptcha = createStore<CaptchaRequest | null>(null)
let last: Promise<unknown> = Promise.resolve()

/** A token that is valid for one request; null when the user cancels. */
export function solveCaptcha(purpose: CaptchaPurpose): Promise<string | null> {
  const solved = last.then(async () => {
    const { promise, resolve } = Promise.withResolvers<string | null>()
    pendingCaptcha.set({ purpose, answer: resolve })
    const token = await promise
    pendingCaptcha.set(null)
    return token
  })
  last = solved
  return solved
}
