/** Adds a server by its address. Stays open while the server cannot be used, with the reason. */
import { useState } from 'react'
import { maxToolServerNameChars, maxToolServerUrlChars } from '../../../../worker/contract/limits.ts'
import { createId } from '../../../lib/create-id.ts'
import { callServers, reasonOf } from '../../../lib/tool-servers/server-calls.ts'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { toast } from '../../../ui/toaster.tsx'
import { type Header, HeaderFields, headersOf } from './header-fields.tsx'
import type { KnownServer } from './known-servers.ts'
import { t } from './texts/en.ts'

type AddServerDialogProps = {
  readonly known: KnownServer | null
  /** The server is for the members of this organization. */
  readonly organizationId?: string | undefined
  readonly onClose: () => void
}

export function AddServerDialog({ known, organizationId, onClose }: AddServerDialogProps) {
  // One id for all attempts, so that a repeated request adds no second server.
  const [id] = useState(createId)
  const [url, setUrl] = useState(known?.url ?? '')
  const [name, setName] = useState(known?.name ?? '')
  const [headers, setHeaders] = useState<readonly Header[]>([])
  const [reason, setReason] = useState<string | null>(null)

  const add = async () => {
    setReason(null)
    const failed = reasonOf(await callServers('POST', '', { id, url: url.trim(), name, headers: headersOf(headers), organizationId }))
    setReason(failed)
    if (failed !== null) return false
    // Without a name, the server names itself.
    toast('success', name.trim() === '' ? t('addedUnnamed') : t('added', { name: name.trim() }))
    return true
  }
  return (
    <FormDialog
      title={known ? t('addNamed', { name: known.name }) : t('addServer')}
      submit={t('add')}
      onSubmit={add}
      pendingText={t('connecting')}
      onClose={onClose}
    >
      <TextField
        label={t('address')}
        description={t('addressDescription')}
        type="url"
        inputMode="url"
        autoComplete="off"
        required
        maxChars={maxToolServerUrlChars}
        value={url}
        onValueChange={setUrl}
        error={reason ?? undefined}
      />
      <TextField
        label={t('name')}
        description={t('nameDescription')}
        autoComplete="off"
        maxChars={maxToolServerNameChars}
        value={name}
        onValueChange={setName}
      />
      <Disclosure summary={t('headers')}>
        <HeaderFields headers={headers} onChange={setHeaders} />
      </Disclosure>
    </FormDialog>
  )
}
