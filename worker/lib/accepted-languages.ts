import { parseAccept } from 'hono/utils/accept'

/** Language tags of the `Accept-Language` header, the most preferred first. */
export const acceptedLanguages = (headers: Headers | undefined): readonly string[] =>
  parseAccept(headers?.get('accept-language') ?? '').map(({ type }) => type)
