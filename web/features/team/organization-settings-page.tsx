/** Name, slug, logo and deletion of an organization. */
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { mayDo } from '../../../worker/contract/organization.ts'
import { Button } from '../../ui/button.tsx'
import { PartBoundary } from '../../ui/part-boundary.tsx'
import { Definition, DefinitionList, Section } from '../../ui/section.tsx'
import { DeleteDialog } from './delete-organization-dialog.tsx'
import { OrganizationLogo } from './logo-field.tsx'
import {
  type FieldRefusal,
  fieldRefusalOf,
  type OrganizationDraft,
  OrganizationFields,
  useOrganizationDraft,
} from './organization-fields.tsx'
import { useOrganizationView } from './organization-frame.tsx'
import { useCall } from './use-call.ts'

export function OrganizationSettingsPage() {
  const { organization, role } = useOrganizationView()
  const saved = { name: organization.name, slug: organization.slug ?? '', logo: organization.logo ?? null }
  const [isDeleting, setDeleting] = useState(false)
  const mayDelete = mayDo(role, 'organization', 'delete')
  return (
    <>
      {mayDo(role, 'organization', 'update') ? (
        <Section title="Organization">
          {/* A change by another member resets the form. */}
          <Form key={JSON.stringify(saved)} saved={saved} />
        </Section>
      ) : (
        <Section title="Organization" description="Only owners and admins can change this.">
          <DefinitionList>
            <Definition name="Name">{saved.name}</Definition>
            {saved.slug !== '' && <Definition name="Short name">{saved.slug}</Definition>}
            <Definition name="Logo">{saved.logo ? <OrganizationLogo {...saved} /> : 'None'}</Definition>
          </DefinitionList>
        </Section>
      )}
      <Section
        title="Delete"
        description={
          mayDelete
            ? 'The organization, its teams and its invitations go for good. Its members keep their own threads.'
            : 'Only owners can delete the organization.'
        }
      >
        {mayDelete && (
          <Button variant="danger" onClick={() => setDeleting(true)}>
            Delete organization
          </Button>
        )}
      </Section>
      {isDeleting && (
        <PartBoundary part="dialog" onClose={() => setDeleting(false)}>
          <Deletion onClose={() => setDeleting(false)} />
        </PartBoundary>
      )}
    </>
  )
}

function Form({ saved }: { readonly saved: OrganizationDraft }) {
  const { organization } = useOrganizationView()
  const { draft, change, reason } = useOrganizationDraft(saved)
  const { isPending, run } = useCall()
  const [refused, setRefused] = useState<FieldRefusal | null>(null)
  const isSame = JSON.stringify({ ...draft, name: draft.name.trim() }) === JSON.stringify(saved)
  const why = isSame ? 'Nothing to save.' : reason
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (why) return
    setRefused(null)
    await run('update', { organizationId: organization.id, data: { ...draft, name: draft.name.trim() } }, 'Saved', (refusal) => {
      const ofField = fieldRefusalOf(refusal)
      setRefused(ofField)
      return ofField !== null
    })
  }
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <OrganizationFields
        draft={draft}
        change={(changes) => {
          change(changes)
          if (refused && refused.field in changes) setRefused(null)
        }}
        refused={refused}
      />
      <Button type="submit" variant="primary" className="self-end" pending={isPending} disabledReason={why}>
        Save
      </Button>
    </form>
  )
}

function Deletion({ onClose }: { readonly onClose: () => void }) {
  const { organization } = useOrganizationView()
  const { isPending, run } = useCall()
  const navigate = useNavigate()
  const confirm = async () => {
    if (await run('delete', { organizationId: organization.id }, `${organization.name} was deleted`)) await navigate({ to: '/team' })
    else onClose()
  }
  return <DeleteDialog name={organization.name} isPending={isPending} onConfirm={() => void confirm()} onClose={onClose} />
}
