import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { authCall } from '../../lib/auth-call.ts'
import { libText } from '../../lib/texts/en.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { fieldRefusalOf, OrganizationFields, useOrganizationDraft } from './organization-fields.tsx'
import { t } from './texts/en.ts'

/** Mounted while open. A refusal keeps the dialog open with its input. */
export function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate()
  const { draft, change, reason } = useOrganizationDraft()
  const [isPending, setPending] = useState(false)
  const [refused, setRefused] = useState<{ readonly code: string | null; readonly message: string } | null>(null)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (reason || isPending) return
    setPending(true)
    setRefused(null)
    const { name, slug, logo } = draft
    const result = await authCall<{ id: string }>('organization/create', { name: name.trim(), slug, ...(logo && { logo }) })
    setPending(false)
    if (!result.ok) return setRefused(result)
    onClose()
    await navigate({ to: '/team/$organizationId', params: { organizationId: result.body.id } })
  }
  const ofField = refused && fieldRefusalOf(refused)
  return (
    <Dialog open title={t('newOrganization')} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)} className="mt-4">
        <OrganizationFields draft={draft} change={change} refused={ofField} />
        {refused && !ofField && (
          <p role="alert" className="mt-4 text-danger text-pretty">
            {refused.message}
          </p>
        )}
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={onClose}>{libText('cancel')}</Button>
          <Button type="submit" variant="primary" pending={isPending} disabledReason={reason}>
            {t('create')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
