/** Cloudflare's script, loaded once, and only when a challenge is required. */

/** https://developers.cloudflare.com/turnstile/get-started/client-side-rendering/ */
type Turnstile = {
  render(parent: HTMLElement, options: TurnstileOptions): string
  remove(widgetId: string): void
}

type TurnstileOptions = {
  readonly sitekey: string
  readonly size: 'flexible'
  readonly theme: 'dark' | 'light' | 'auto'
  readonly callback: (token: string) => void
  readonly 'error-callback': (code: string) => boolean
}

let loading: Promise<Turnstile> | null = null

/** A failed load is removed, so that the next attempt loads again. */
export function loadTurnstile(url: string | undefined): Promise<Turnstile> {
  loading ??= load(url).catch((error: unknown) => {
    loading = null
    throw error
  })
  return loading
}

function load(url: string | undefined): Promise<Turnstile> {
  const { promise, resolve, reject } = Promise.withResolvers<Turnstile>()
  if (url === undefined) {
    reject(new Error('the page settings contain no Turnstile URL'))
    return promise
  }
  const script = document.createElement('script')
  script.src = url
  script.onload = () => {
    const { turnstile } = window as { readonly turnstile?: Turnstile }
    if (turnstile) resolve(turnstile)
    else reject(new Error('the Turnstile script did not define window.turnstile'))
  }
  script.onerror = () => {
    script.remove()
    reject(new Error('the Turnstile script could not be loaded'))
  }
  document.head.append(script)
  return promise
}
