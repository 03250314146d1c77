/**
 * Creates a public link to the branch of a thread that is on screen and copies it, shows its address, and lists the thread's links.
 */
import { ChevronDown } from 'lucide-react'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { maxNameChars } from '../../../../worker/contract/limits.ts'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { cleanName } from '../../../../worker/contract/names.ts'
import { type ShareLifetime, shareLifetimes } from '../../../../worker/contract/threads/shares.ts'
import { isBusy } from '../../../../worker/contract/threads/thread-status.ts'
import { copyText } from '../../../lib/clipboard.ts'
import { cx } from '../../../lib/cx.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { useServerNow } from '../../../lib/server-clock.ts'
import { settled, useAct } from '../../../sync/act.ts'
import { useMe } from '../../../sync/hooks.ts'
import type { Outcome } from '../../../sync/outcome.ts'
import { type SharedLink, shareUrl, useIsSharingOff, useRevokeShare, useShares } from '../../../sync/shares.ts'
import { useThread } from '../../../sync/thread.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { PrimaryCopyButton } from '../../../ui/copy-button.tsx'
import { Dialog, DialogFooter } from '../../../ui/dialog.tsx'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { LinkItem } from '../../../ui/link-item.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { toastWhile } from '../../../ui/toast-while.ts'
import { toast } from '../../../ui/toaster.tsx'
import { t as shellText } from '../texts/en.ts'
import { t } from './texts/en.ts'

type ShareDialogProps = { readonly threadId: string; readonly onClose: () => void }

/** Mounted while open. */
export function ShareDialog({ threadId, onClose }: ShareDialogProps) {
  const shares = useShares().shares.filter((share) => share.threadId === threadId)
  const isOff = useIsSharingOff()
  const { thread } = useThread(threadId)
  const { create, createdId, isCreating, isCopied } = useCreateLink(shares)
  const { revoking } = useRevokeShare()
  const nowMs = useServerNow()
  // Of an older link, later messages are missing.
  const current = shares.find(
    ({ id, messageId, expiresAt, isThreadDeleted }) =>
      messageId === thread?.headId && (expiresAt ?? Infinity) > nowMs && !isThreadDeleted && !revoking.has(id),
  )
  const isNew = createdId !== null && createdId === current?.id
  const newLink = <NewLink threadId={threadId} isPrimary={!current} isCreating={isCreating} onCreate={create} />
  return (
    <Dialog open title={shellText('shareThread')} description={t(isOff ? 'sharingOff' : 'shareDescription')} onClose={onClose}>
      {current && !isOff && <CurrentLink url={shareUrl(current.id)} isNew={isNew} />}
      <p role="status" className={cx('text-xs text-muted-foreground', isNew && 'mt-2')}>
        {isNew && t(isCopied ? 'createdAndCopied' : 'created')}
      </p>
      {shares.length > 0 && <Links shares={shares} />}
      {!isOff &&
        (current ? (
          <Disclosure key={current.id} summary={t('otherSettings')} className="mt-4">
            {newLink}
          </Disclosure>
        ) : (
          newLink
        ))}
    </Dialog>
  )
}

type LinkSettings = Parameters<typeof mutators.shares.create>[0]

/** Creates a link and copies its address. The server chooses the address, which arrives with the row of the link. */
function useCreateLink(shares: readonly SharedLink[]) {
  const act = useAct()
  const [isCreating, setCreating] = useState(false)
  const [createdId, setCreatedId] = useState<string | null>(null)
  const [isCopied, setCopied] = useState(false)
  const arrival = useRef<{ readonly known: ReadonlySet<string>; readonly resolve: (id: string) => void } | null>(null)
  useEffect(() => {
    const created = shares.find(({ id }) => arrival.current?.known.has(id) === false)
    if (created) arrival.current?.resolve(created.id)
  }, [shares])
  const create = async (link: LinkSettings) => {
    if (isCreating) return
    setCreating(true)
    setCopied(false)
    const { promise: id, resolve } = Promise.withResolvers<string>()
    arrival.current = { known: new Set(shares.map((share) => share.id)), resolve }
    const created = toastWhile(t('creating'), settled(act(mutators.shares.create(link))))
    const address = created.then(async ({ ok }) => {
      if (!ok) throw new Error('the link was refused')
      return shareUrl(await id)
    })
    // Within the press: browsers allow copying only then.
    const copied = copyText(address).catch(() => false)
    const isCreated = reportRefusal(await created)
    if (isCreated) setCreatedId(await id)
    arrival.current = null
    setCreating(false)
    if (isCreated) setCopied(await copied)
  }
  return { create, createdId, isCreating, isCopied }
}

/** `isNew`: created in this dialog. Its form has closed, so the focus moves here. */
function CurrentLink({ url, isNew }: { readonly url: string; readonly isNew: boolean }) {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isNew) button.current?.focus()
  }, [isNew])
  return (
    <div className="mt-4 flex items-end gap-2">
      <TextField
        label={t('link')}
        value={url}
        readOnly
        onValueChange={() => undefined}
        onFocus={({ currentTarget }) => currentTarget.select()}
        className="min-w-0 flex-1"
      />
      <PrimaryCopyButton ref={button} label={t('copyLink')} text={() => url} />
    </div>
  )
}

function Links({ shares }: { readonly shares: readonly SharedLink[] }) {
  const { revoking, revoke } = useRevokeShare()
  const onRevoke = async (id: string) => reportRefusal(await revoke(id))
  return (
    <ul aria-label={t('links')} className="mt-4 max-h-52 divide-y overflow-y-auto rounded-lg border">
      {shares.map((share) => (
        <LinkItem
          key={share.id}
          url={shareUrl(share.id)}
          link={share}
          isRevoking={revoking.has(share.id)}
          onRevoke={() => void onRevoke(share.id)}
        />
      ))}
    </ul>
  )
}

function reportRefusal(outcome: Outcome): boolean {
  if (!outcome.ok) toast('error', outcome.refusal.code === 'name_invalid' ? t('nameInvalid') : refusalSentence(outcome.refusal))
  return outcome.ok
}

type NewLinkProps = {
  readonly threadId: string
  /** Creating is the first action of the dialog. */
  readonly isPrimary: boolean
  readonly isCreating: boolean
  readonly onCreate: (link: LinkSettings) => Promise<void>
}

function NewLink({ threadId, isPrimary, isCreating, onCreate }: NewLinkProps) {
  const { state: loading, thread } = useThread(threadId)
  const user = useMe()?.user
  const userName = user?.name ?? ''
  const [showsName, setShowsName] = useState(false)
  const [name, setName] = useState(userName)
  const [lifetime, setLifetime] = useState<ShareLifetime | null>(null)
  const [isListed, setListed] = useState(false)
  const shown = cleanName(name)
  const nameReason = shown === '' ? t('enterName') : shown.length > maxNameChars ? t('shortenName') : undefined
  const reason = isBusy(thread) ? t('waitForAnswer') : showsName ? nameReason : undefined
  const messageId = thread?.headId
  const create = (event: FormEvent) => {
    event.preventDefault()
    if (!reason && messageId != null) void onCreate({ threadId, messageId, name: showsName ? shown : null, lifetime, isListed })
  }
  return (
    <form onSubmit={create} className="mt-4 flex flex-col gap-3">
      <Row label={t('showName')}>
        <Switch label={t('showName')} checked={showsName} onChange={setShowsName} />
      </Row>
      {showsName && <TextField label={t('name')} value={name} onValueChange={setName} maxChars={maxNameChars} />}
      <Row label={t('expires')}>
        <LifetimeSelect lifetime={lifetime} onChange={setLifetime} />
      </Row>
      <Row label={t('listed')}>
        <Switch
          label={t('listed')}
          checked={isListed}
          onChange={setListed}
          disabledReason={user?.isAnonymous ? refusalSentence({ code: 'listing_account_required' }) : undefined}
        />
      </Row>
      <DialogFooter>
        <Button
          type="submit"
          variant={isPrimary ? 'primary' : 'secondary'}
          pending={loading === 'loading' || isCreating}
          disabledReason={reason}
        >
          {t('createLink')}
        </Button>
      </DialogFooter>
    </form>
  )
}

const Row = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div className="flex min-h-9 items-center justify-between gap-4">
    <span aria-hidden="true">{label}</span>
    {children}
  </div>
)

type LifetimeSelectProps = { readonly lifetime: ShareLifetime | null; readonly onChange: (lifetime: ShareLifetime | null) => void }

function LifetimeSelect({ lifetime, onChange }: LifetimeSelectProps) {
  const current = t(lifetime ?? 'never')
  return (
    <Menu
      label={t('expires')}
      placement="bottom-end"
      trigger={(props) => (
        <button type="button" {...props} aria-label={`${t('expires')}: ${current}`} className={buttonClass()}>
          {current}
          <ChevronDown aria-hidden="true" className="size-3.5 text-muted-foreground" />
        </button>
      )}
    >
      {[null, ...shareLifetimes].map((choice) => (
        <MenuItem key={choice ?? 'never'} checked={choice === lifetime} onSelect={() => onChange(choice)}>
          {t(choice ?? 'never')}
        </MenuItem>
      ))}
    </Menu>
  )
}
