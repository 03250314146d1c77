/**
 * Deletes the account. The user types the e-mail address. Requires a recent login; otherwise the user confirms with a code from a mail, or
 * logs in again at a provider, which redirects back to this dialog. Guests have no address and confirm by the button alone.
 */
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { authCall } from '../../lib/auth-call.ts'
import { deleteLocalUserData } from '../../lib/local-user-data.ts'
import { pageSettings } from '../../lib/page-settings.ts'
import {
  type ConfirmationMethods,
  codeChars,
  confirmationMethodsOf,
  type LoginProvider,
  loginProviderNames,
  signInWith,
} from '../../lib/sign-in.ts'
import { libText } from '../../lib/texts/en.ts'
import { leaveSession } from '../../sync/provider.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { endReplacedSessions, rememberSession } from './sessions-section.tsx'
import { t } from './texts/en.ts'

type DeleteDialogProps = {
  readonly userId: string
  readonly email: string
  readonly isGuest: boolean
  /** The user is back from logging in again. */
  readonly isReauthenticated: boolean
  readonly onClose: () => void
}

/** Mounted while open. */
export function DeleteDialog({ userId, email, isGuest, isReauthenticated, onClose }: DeleteDialogProps) {
  const [methods, setMethods] = useState<ConfirmationMethods | null>(null)
  const [isCodeWanted, setCodeWanted] = useState(false)
  const [typed, setTyped] = useState('')
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isPending, setPending] = useState(false)
  const navigate = useNavigate()
  const action = t(isGuest ? 'deleteEverything' : 'deleteAccount')

  const whilePending = async (work: () => Promise<string | undefined>) => {
    if (isPending) return
    setPending(true)
    setProblem(undefined)
    setProblem(await work())
    setPending(false)
  }
  const sendCode = async () => {
    const sent = await authCall('email-otp/send-verification-otp', { email, type: 'sign-in' })
    setCodeWanted(sent.ok)
    return sent.ok ? undefined : sent.message
  }
  const redirectTo = async (provider: LoginProvider) => {
    await rememberSession()
    const result = await signInWith(provider, returnUrl(userId))
    return result.ok ? undefined : result.message
  }
  const finish = async () => {
    const result = await authCall('delete-user', {})
    if (result.ok) {
      leaveSession()
      deleteLocalUserData()
      await navigate({ to: '/logged-out', search: { deleted: true }, replace: true })
      return undefined
    }
    if (result.code !== 'SESSION_NOT_FRESH') return result.message
    const linked = await authCall<readonly { readonly providerId: string }[]>('list-accounts')
    if (!linked.ok) return linked.message
    const found = confirmationMethodsOf(
      pageSettings.signIn,
      linked.body.map(({ providerId }) => providerId),
    )
    if (!found) return t('noLogin')
    if (found.hasMail && found.providers.length === 0) return sendCode()
    setMethods(found)
    return undefined
  }
  const confirm = async () => {
    if (!isCodeWanted) return finish()
    // Signing in again creates a new session of the same account.
    await rememberSession()
    const proven = await authCall('sign-in/email-otp', { email, otp: code.trim() })
    if (!proven.ok) return proven.message
    await endReplacedSessions()
    // The code was accepted, so the current refusal has another reason.
    setCodeWanted(false)
    setMethods(null)
    return finish()
  }
  const isNamed = isGuest || typed.trim().normalize('NFC').toLowerCase() === email.toLowerCase()
  const reason = !isNamed ? t('typeEmail') : isCodeWanted && code.trim().length < codeChars ? t('enterCode') : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!reason) void whilePending(confirm)
  }
  return (
    <Dialog open title={action} onClose={onClose}>
      <form onSubmit={submit} className="mt-2 flex flex-col gap-4">
        <p className="text-muted-foreground text-pretty">
          {isReauthenticated && (
            <>
              {t.rich('loggedInAgain', {
                email,
                b: (chunks) => <strong className="font-medium break-words text-foreground">{chunks}</strong>,
              })}{' '}
            </>
          )}
          {t(isGuest ? 'guestDataDeleted' : 'accountDataDeleted')} {t('cannotUndo')}
        </p>
        {!isGuest && !methods && !isCodeWanted && (
          <TextField label={t('typeToConfirm', { email })} inputMode="email" autoComplete="off" value={typed} onValueChange={setTyped} />
        )}
        {methods && !isCodeWanted && (
          <div className="flex flex-col gap-2 border-t pt-4">
            <p className="text-pretty">{t('confirmYou')}</p>
            {methods.providers.map((provider) => (
              <Button key={provider} pending={isPending} onClick={() => void whilePending(() => redirectTo(provider))}>
                {t('logInWith', { provider: loginProviderNames[provider] })}
              </Button>
            ))}
            {methods.hasMail && (
              <Button pending={isPending} onClick={() => void whilePending(sendCode)}>
                {t('sendCodeTo', { email })}
              </Button>
            )}
          </div>
        )}
        {isCodeWanted && (
          <TextField
            label={t('code')}
            description={t('codeDescription', { email })}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={codeChars}
            error={problem}
            value={code}
            onValueChange={(value) => {
              setCode(value)
              setProblem(undefined)
            }}
          />
        )}
        {problem && !isCodeWanted && (
          <p role="alert" className="text-danger text-pretty">
            {problem}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{libText('cancel')}</Button>
          {(!methods || isCodeWanted) && (
            <Button type="submit" variant="danger" pending={isPending} disabledReason={reason}>
              {action}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  )
}

/** Contains the user id, because the provider may return another account. */
const returnUrl = (userId: string): string => `/account?delete=${encodeURIComponent(userId)}`
