import { loadedLanguage } from './i18n/language.ts'

/** A request of the auth API: POST with a body, otherwise GET. better-auth's captcha plugin reads the token; mails are in the language. */
export const authRequest = (body?: object, captchaToken: string | null = null): RequestInit => ({
  method: body ? 'POST' : 'GET',
  credentials: 'include',
  headers: {
    accept: 'application/json',
    'accept-language': loadedLanguage.get().language,
    ...(body && { 'content-type': 'application/json' }),
    ...(captchaToken !== null && { 'x-captcha-response': captchaToken }),
  },
  ...(body && { body: JSON.stringify(body) }),
})
