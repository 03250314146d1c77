/** The Turnstile widget in a dialog. The dialog closes with the token, and the request that required the token continues. */
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { CaptchaRequest } from '../../lib/captcha.ts'
import { pageSettings } from '../../lib/page-settings.ts'
import { libText } from '../../lib/texts/en.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { t } from './texts/en.ts'

export function CaptchaStep({ request: { purpose, answer } }: { readonly request: CaptchaRequest }) {
  const [attempt, setAttempt] = useState(0)
  const [hasFailed, setFailed] = useState(false)
  const retry = () => {
    setFailed(false)
    setAttempt(attempt + 1)
  }
  const cancel = () => {
    if (purpose === 'mail') answer(null)
  }
  return (
    <Dialog
      open
      role="alertdialog"
      title={t('confirmHuman')}
      description={t(purpose === 'guest' ? 'guestReason' : 'mailReason')}
      onClose={cancel}
      footer={
        purpose === 'mail' ? (
          <Button data-dialog-dismiss onClick={cancel}>
            {libText('cancel')}
          </Button>
        ) : (
          // A full page load ends the page that waits for the guest.
          <a href="/login" data-dialog-dismiss className={buttonClass()}>
            {t('logInInstead')}
          </a>
        )
      }
    >
      {!hasFailed && <Turnstile key={attempt} onToken={answer} onFailure={() => setFailed(true)} />}
      {hasFailed && (
        <div className="mt-4 flex flex-col items-center gap-3 text-center">
          <p role="alert" className="text-danger text-pretty">
            {t('checkNotLoaded')}
          </p>
          <Button onClick={retry}>{libText('tryAgain')}</Button>
        </div>
      )}
    </Dialog>
  )
}

type TurnstileProps = { readonly onToken: CaptchaRequest['answer']; readonly onFailure: () => void }

/** A component within the dialog, because the element exists only when the dialog is drawn. */
function Turnstile({ onToken, onFailure }: TurnstileProps) {
  const ref = useRef<HTMLDivElement>(null)
  const fail = useEffectEvent(onFailure)
  useEffect(() => {
    let unmount: (() => void) | undefined
    let isUnmounted = false
    loadTurnstile(pageSettings.turnstile?.scriptUrl).then(
      (turnstile) => {
        if (isUnmounted || !ref.current) return
        const id = turnstile.render(ref.current, {
          sitekey: pageSettings.turnstile?.siteKey ?? '',
          size: 'flexible',
          theme: themeOf(document.documentElement.classList),
          callback: onToken,
          // True: the failure is handled here, and the widget logs nothing.
          'error-callback': () => {
            fail()
            return true
          },
        })
        unmount = () => turnstile.remove(id)
      },
      () => fail(),
    )
    return () => {
      isUnmounted = true
      unmount?.()
    }
  }, [onToken])
  return <div ref={ref} className="mt-4 flex min-h-[65px] justify-center" />
}

const themeOf = (classes: DOMTokenList): 'dark' | 'light' | 'auto' => {
  if (classes.contains('dark')) return 'dark'
  return classes.contains('light') ? 'light' : 'auto'
}

/** https://developers.cloudflare.com/turnstile/get-started/client-side-rendering/ */
type TurnstileApi = {
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

let loading: Promise<TurnstileApi> | null = null

/** Cloudflare's script, loaded once, and only when a challenge is required. A failed load is removed, so that the next attempt loads again. */
function loadTurnstile(url: string | undefined): Promise<TurnstileApi> {
  loading ??= load(url).catch((error: unknown) => {
    loading = null
    throw error
  })
  return loading
}

function load(url: string | undefined): Promise<TurnstileApi> {
  const { promise, resolve, reject } = Promise.withResolvers<TurnstileApi>()
  if (url === undefined) {
    reject(new Error('the page settings contain no Turnstile URL'))
    return promise
  }
  const script = document.createElement('script')
  script.src = url
  script.onload = () => {
    const { turnstile } = window as { readonly turnstile?: TurnstileApi }
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
