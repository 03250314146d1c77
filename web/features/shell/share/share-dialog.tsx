/** Creates a public link to the branch of a thread that is on screen, and lists the thread's links. */
import { ChevronDown } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { maxNameChars } from '../../../../worker/contract/limits.ts'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { cleanName } from '../../../../worker/contract/names.ts'
import { type ShareLifetime, shareLifetimes } from '../../../../worker/contract/threads/shares.ts'
import { isBusy } from '../../../../worker/contract/threads/thread-status.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { settled, useAct } from '../../../sync/act.ts'
import { useMe } from '../../../sync/hooks.ts'
import type { Outcome } from '../../../sync/outcome.ts'
import { type SharedLink, shareUrl, useIsSharingOff, useRevokeShare, useShares } from '../../../sync/shares.ts'
import { useThread } from '../../../sync/thread.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Dialog, DialogFooter } from '../../../ui/dialog.tsx'
import { LinkItem } from '../../../ui/link-item.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { toast, toastWhile } from '../../../ui/toaster.tsx'
import { t as shellText } from '../texts/en.ts'
import { t } from './texts/en.ts'

type ShareDialogProps = { readonly threadId: string; readonly onClose: () => void }

/** Mounted while open. */
export function ShareDialog({ threadId, onClose }: ShareDialogProps) {
  const shares = useShares().shares.filter((share) => share.threadId === threadId)
  const isOff = useIsSharingOff()
  return (
    <Dialog open title={shellText('shareThread')} description={t(isOff ? 'sharingOff' : 'shareDescription')} onClose={onClose}>
      {shares.length > 0 && <Links shares={shares} />}
      {!isOff && <NewLink threadId={threadId} />}
    </Dialog>
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

function NewLink({ threadId }: { readonly threadId: string }) {
  const { state: loading, thread } = useThread(threadId)
  const user = useMe()?.user
  const userName = user?.name ?? ''
  const act = useAct()
  const [showsName, setShowsName] = useState(false)
  const [name, setName] = useState(userName)
  const [lifetime, setLifetime] = useState<ShareLifetime | null>(null)
  const [isListed, setListed] = useState(false)
  const [state, setState] = useState<'editing' | 'creating' | 'created'>('editing')
  const shown = cleanName(name)
  const nameReason = shown === '' ? t('enterName') : shown.length > maxNameChars ? t('shortenName') : undefined
  const reason = isBusy(thread) ? t('waitForAnswer') : showsName ? nameReason : undefined
  const messageId = thread?.headId
  const create = async (event: FormEvent) => {
    event.preventDefault()
    if (reason || messageId == null || state === 'creating') return
    setState('creating')
    const link = { threadId, messageId, name: showsName ? shown : null, lifetime, isListed }
    const outcome = await toastWhile(t('creating'), settled(act(mutators.shares.create(link))))
    setState(reportRefusal(outcome) ? 'created' : 'editing')
  }
  return (
    <form onSubmit={(event) => void create(event)} className="mt-4 flex flex-col gap-3">
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
      <span role="status" className="sr-only">
        {state === 'created' && t('created')}
      </span>
      <DialogFooter>
        <Button type="submit" variant="primary" pending={loading === 'loading' || state === 'creating'} disabledReason={reason}>
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
