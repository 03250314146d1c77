/**
 * Where to go after signing in: a path on our own origin, or home. Anything that a browser could read as another site
 * (`//host`, `/\host`, a scheme, control characters it would drop) is home.
 */
export function parseCallbackUrl(value: unknown): string {
  if (typeof value !== 'string' || !/^\/(?![/\\])/.test(value)) return '/'
  const here = 'https://parley.invalid'
  const url = URL.parse(value, here)
  return url?.origin === here ? url.pathname + url.search + url.hash : '/'
}
