/** Name, slug, logo, sharing and deletion of an organization. */
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { mayDo } from '../../../worker/contract/organization.ts'
import { Button } from '../../ui/button.tsx'
import { PartBoundary } from '../../ui/part-boundary.tsx'
import { Definition, DefinitionList, Section } from '../../ui/section.tsx'
import { Switch } from '../../ui/switch.tsx'
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
import { t } from './texts/t.ts'
import { useCall } from './use-call.ts'

export function OrganizationSettingsPage() {
  const { organization, role } = useOrganizationView()
  const saved = { name: organization.name, slug: organization.slug ?? '', logo: organization.logo ?? null }
  const [isDeleting, setDeleting] = useState(false)
  const mayDelete = mayDo(role, 'organization', 'delete')
  return (
    <>
      {mayDo(role, 'organization', 'update') ? (
        <Section title={t('organization')}>
          {/* A change by another member resets the form. */}
          <Form key={JSON.stringify(saved)} saved={saved} />
        </Section>
      ) : (
        <Section title={t('organization')} description={t('onlyAdminsChange')}>
          <DefinitionList>
            <Definition name={t('name')}>{saved.name}</Definition>
            {saved.slug !== '' && <Definition name={t('slug')}>{saved.slug}</Definition>}
            <Definition name={t('logo')}>{saved.logo ? <OrganizationLogo {...saved} /> : t('none')}</Definition>
          </DefinitionList>
        </Section>
      )}
      <SharingSection mayChange={mayDo(role, 'organization', 'update')} />
      <Section title={t('delete')} description={t(mayDelete ? 'deleteSectionHint' : 'onlyOwnersDelete')}>
        {mayDelete && (
          <Button variant="danger-outline" onClick={() => setDeleting(true)}>
            {t('deleteOrganization')}
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

function SharingSection({ mayChange }: { readonly mayChange: boolean }) {
  const { organization } = useOrganizationView()
  const { run } = useCall()
  const isOn = organization.isSharingOff !== true
  const change = (mayShare: boolean) =>
    void run('update', { organizationId: organization.id, data: { isSharingOff: !mayShare } }, t('saved'))
  return (
    <Section title={t('sharedLinks')} description={t('sharedLinksHint')}>
      <DefinitionList>
        <Definition name={t('membersMayShare')}>
          {mayChange ? <Switch label={t('membersMayShare')} checked={isOn} onChange={change} /> : t(isOn ? 'on' : 'off')}
        </Definition>
      </DefinitionList>
    </Section>
  )
}

function Form({ saved }: { readonly saved: OrganizationDraft }) {
  const { organization } = useOrganizationView()
  const { draft, change, reason } = useOrganizationDraft(saved)
  const { isPending, run } = useCall()
  const [refused, setRefused] = useState<FieldRefusal | null>(null)
  const isSame = JSON.stringify({ ...draft, name: draft.name.trim() }) === JSON.stringify(saved)
  const why = isSame ? t('nothingToSave') : reason
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (why) return
    setRefused(null)
    await run('update', { organizationId: organization.id, data: { ...draft, name: draft.name.trim() } }, t('saved'), (refusal) => {
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
        {t('save')}
      </Button>
    </form>
  )
}

function Deletion({ onClose }: { readonly onClose: () => void }) {
  const { organization } = useOrganizationView()
  const { isPending, run } = useCall()
  const navigate = useNavigate()
  const confirm = async () => {
    if (await run('delete', { organizationId: organization.id }, t('wasDeleted', { organization: organization.name })))
      await navigate({ to: '/team' })
    else onClose()
  }
  return <DeleteDialog name={organization.name} isPending={isPending} onConfirm={() => void confirm()} onClose={onClose} />
}
