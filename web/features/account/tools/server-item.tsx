/** One server: its state, what it offers, and what the user can do with it. Members only see the servers of an organization. */
import { Ellipsis, KeyRound, LogOut, PenLine, RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { maxToolServerNameChars } from '../../../../worker/contract/limits.ts'
import { cleanName } from '../../../../worker/contract/names.ts'
import { hasOffer } from '../../../../worker/contract/tools/tool-servers.ts'
import { cx } from '../../../lib/cx.ts'
import { failureSentence } from '../../../lib/tool-servers/failure-sentence.ts'
import { callServers, idPath, logInAt, type RequiredScopes, reasonOf } from '../../../lib/tool-servers/server-calls.ts'
import type { OrganizationToolServerRow } from '../../../sync/rows.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { toast } from '../../../ui/toaster.tsx'
import { emptyHeader, type Header, HeaderFields, headersOf } from './header-fields.tsx'
import { leftTexts, Offer } from './server-offer.tsx'
import { t } from './texts/en.ts'

/** A server of the user or of an organization. */
export type ShownServer = Omit<OrganizationToolServerRow, 'organizationId'>

/** Who uses the server: the user alone, or all members of the organization that the user manages or belongs to. */
export type ServerUse = 'personal' | 'manager' | 'member'

type ServerItemProps = { readonly server: ShownServer; readonly use: ServerUse }

export function ServerItem({ server, use }: ServerItemProps) {
  const { id, name, host, state, failure, login } = server
  const mayChange = use !== 'member'
  const [isBusy, setBusy] = useState(false)
  const [required, setRequired] = useState<RequiredScopes | null>(null)
  const [open, setOpen] = useState<'rename' | 'headers' | 'remove' | null>(null)

  /** Shows the reason if the request failed. */
  const run = async (work: Promise<string | null>, done?: string) => {
    setBusy(true)
    const reason = await work
    setBusy(false)
    if (reason !== null) toast('error', reason)
    else if (done !== undefined) toast('success', done)
  }
  const logIn = () => void run(logInAt(id, setRequired))
  const refresh = () => void run(callServers('POST', idPath(id, 'refresh')).then(reasonOf), t('checked', { name }))
  const logOut = () => void run(callServers('POST', idPath(id, 'logout')).then(reasonOf), t('loggedOut', { name }))
  const remove = () => void run(callServers('DELETE', idPath(id)).then(reasonOf), t('removed', { name }))
  return (
    <li className="px-3 py-2.5">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
            <span dir="auto" className="font-medium wrap-anywhere">
              {name}
            </span>
            {state === 'login' && <Badge tone="warning">{t('needsLogin')}</Badge>}
            {state === 'failed' && <Badge tone="danger">{t('failed')}</Badge>}
          </div>
          <p className="text-muted-foreground wrap-anywhere">{host}</p>
        </div>
        {mayChange && (
          <div className="flex items-center gap-1">
            {isBusy && <Spinner label={t('connecting')} className="size-4" />}
            <IconButton label={t('refresh', { name })} onClick={refresh}>
              <RefreshCw />
            </IconButton>
            <Menu
              label={t('more', { name })}
              placement="bottom-end"
              trigger={(props) => (
                <IconButton {...props} label={t('more', { name })}>
                  <Ellipsis />
                </IconButton>
              )}
            >
              <MenuItem icon={<PenLine />} onSelect={() => setOpen('rename')}>
                {t('rename')}
              </MenuItem>
              <MenuItem icon={<KeyRound />} onSelect={() => setOpen('headers')}>
                {t('changeHeaders')}
              </MenuItem>
              {login === 'oauth' && (state !== 'login' || failure === 'scopes') && (
                <MenuItem icon={<LogOut />} onSelect={logOut}>
                  {t('logOut')}
                </MenuItem>
              )}
              <MenuSeparator />
              <MenuItem icon={<Trash2 />} danger onSelect={() => setOpen('remove')}>
                {t('remove')}
              </MenuItem>
            </Menu>
          </div>
        )}
      </div>
      {failure != null && (
        <p className={cx('mt-1 text-pretty', state === 'failed' ? 'text-danger' : 'text-muted-foreground')}>{failureSentence(failure)}</p>
      )}
      {state === 'login' && use !== 'personal' && (
        <p className="mt-1 text-muted-foreground text-pretty">{t(use === 'manager' ? 'loginForAll' : 'loginByManager')}</p>
      )}
      {state === 'login' && mayChange && (
        <Button size="sm" variant="primary" className="mt-2" onClick={login === 'headers' ? () => setOpen('headers') : logIn}>
          {t(login === 'headers' ? 'changeHeaders' : 'logIn')}
        </Button>
      )}
      {hasOffer(server) ? (
        <Offer server={server} mayChange={mayChange} />
      ) : (
        state === 'ready' && <p className="mt-1 text-muted-foreground">{t('toolCount', { count: 0 })}</p>
      )}
      {leftTexts(server).map((text) => (
        <p key={text} dir="auto" className="mt-2 text-xs text-muted-foreground text-pretty wrap-anywhere">
          {text}
        </p>
      ))}
      {open === 'rename' && <RenameDialog server={server} onClose={() => setOpen(null)} />}
      {open === 'headers' && <HeadersDialog server={server} onClose={() => setOpen(null)} />}
      <ConfirmDialog
        open={required !== null}
        title={t('scopesTitle', { name })}
        text={
          <>
            {t('scopesText')}
            <span className="mt-2 flex flex-wrap gap-1">
              {required?.scopes.map((scope) => (
                <code key={scope} className="rounded-sm bg-muted px-1.5 py-0.5 text-foreground wrap-anywhere">
                  {scope}
                </code>
              ))}
            </span>
          </>
        }
        action={t('scopesAction')}
        onClose={() => setRequired(null)}
        onConfirm={() => required && location.assign(required.address)}
      />
      <ConfirmDialog
        open={open === 'remove'}
        title={t('removeTitle', { name })}
        text={t('removeText')}
        action={t('remove')}
        variant="danger"
        onClose={() => setOpen(null)}
        onConfirm={() => {
          setOpen(null)
          remove()
        }}
      />
    </li>
  )
}

type ServerDialogProps = { readonly server: ShownServer; readonly onClose: () => void }

function RenameDialog({ server, onClose }: ServerDialogProps) {
  const [name, setName] = useState(server.name)
  const [reason, setReason] = useState<string | null>(null)
  const save = async () => {
    if (cleanName(name) === '') return false
    const failed = reasonOf(await callServers('PATCH', idPath(server.id), { name }))
    setReason(failed)
    return failed === null
  }
  return (
    <FormDialog title={t('rename')} submit={t('save')} onSubmit={save} onClose={onClose}>
      <TextField label={t('name')} maxChars={maxToolServerNameChars} value={name} onValueChange={setName} error={reason ?? undefined} />
    </FormDialog>
  )
}

/** The values of stored headers are never shown, so all are entered again. */
function HeadersDialog({ server, onClose }: ServerDialogProps) {
  const [headers, setHeaders] = useState<readonly Header[]>(() =>
    (server.headerNames ?? ['Authorization']).map((name) => emptyHeader(name)),
  )
  const [reason, setReason] = useState<string | null>(null)
  const save = async () => {
    const failed = reasonOf(await callServers('PUT', idPath(server.id, 'headers'), { headers: headersOf(headers) }))
    setReason(failed)
    return failed === null
  }
  return (
    <FormDialog title={t('headers')} submit={t('save')} onSubmit={save} onClose={onClose}>
      <HeaderFields headers={headers} onChange={setHeaders} />
      {reason !== null && (
        <p role="alert" className="text-danger">
          {reason}
        </p>
      )}
    </FormDialog>
  )
}
