/** Name, slug, logo, sharing and deletion of an organization. */
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { maxOrganizationNameChars, maxSlugChars } from '../../../worker/contract/limits.ts'
import { mayDo } from '../../../worker/contract/organizations/organization.ts'
import { authCall } from '../../lib/auth-call.ts'
import { libText } from '../../lib/texts/en.ts'
import { AutosavedField, SavedMark, useMarkedSave } from '../../ui/autosaved-field.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Definition, DefinitionList, Section } from '../../ui/section.tsx'
import { SectionErrorBoundary } from '../../ui/section-error-boundary.tsx'
import { Switch } from '../../ui/switch.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { LogoField, OrganizationLogo } from './logo-field.tsx'
import { useOrganizationView } from './organization-frame.tsx'
import { useCall } from './team-frame.tsx'
import { t } from './texts/en.ts'

export function OrganizationSettingsPage() {
  const { organization, role } = useOrganizationView()
  const { name, slug, logo } = organization
  const [isDeleting, setDeleting] = useState(false)
  const mayDelete = mayDo(role, 'organization', 'delete')
  return (
    <>
      {mayDo(role, 'organization', 'update') ? (
        <Section title={t('organization')}>
          <Fields />
        </Section>
      ) : (
        <Section title={t('organization')} description={t('onlyAdminsChange')}>
          <DefinitionList>
            <Definition name={t('name')}>{name}</Definition>
            {slug && <Definition name={t('slug')}>{slug}</Definition>}
            <Definition name={t('logo')}>{logo ? <OrganizationLogo name={name} logo={logo} /> : t('none')}</Definition>
          </DefinitionList>
        </Section>
      )}
      <SharingSection mayChange={mayDo(role, 'organization', 'update')} />
      <Section title={t('delete')} description={t(mayDelete ? 'deleteSectionDescription' : 'onlyOwnersDelete')}>
        {mayDelete && (
          <Button variant="danger-outline" onClick={() => setDeleting(true)}>
            {t('deleteOrganization')}
          </Button>
        )}
      </Section>
      {isDeleting && (
        <SectionErrorBoundary part="dialog" onClose={() => setDeleting(false)}>
          <DeleteDialog onClose={() => setDeleting(false)} />
        </SectionErrorBoundary>
      )}
    </>
  )
}

function SharingSection({ mayChange }: { readonly mayChange: boolean }) {
  const { organization } = useOrganizationView()
  const { mark, save } = useMarkedSave(useSave())
  const isOn = organization.isSharingOff !== true
  return (
    <Section title={t('sharedLinks')} description={t('sharedLinksDescription')} mark={<SavedMark {...mark} />}>
      <DefinitionList>
        <Definition name={t('membersMayShare')}>
          {mayChange ? (
            <Switch label={t('membersMayShare')} checked={isOn} onChange={(mayShare) => save({ isSharingOff: !mayShare })} />
          ) : (
            t(isOn ? 'on' : 'off')
          )}
        </Definition>
      </DefinitionList>
    </Section>
  )
}

function Fields() {
  const { organization } = useOrganizationView()
  const saveField = useSave()
  const { mark, save } = useMarkedSave(saveField)
  return (
    <div className="flex flex-col gap-4">
      <AutosavedField
        label={t('name')}
        maxChars={maxOrganizationNameChars}
        autoComplete="organization"
        saved={organization.name}
        emptyProblem={t('enterName')}
        save={(name) => saveField({ name })}
      />
      <AutosavedField
        label={t('slug')}
        description={t('slugDescription')}
        maxChars={maxSlugChars}
        autoComplete="off"
        spellCheck={false}
        autoCapitalize="none"
        saved={organization.slug ?? ''}
        emptyProblem={t('enterSlug')}
        save={(slug) => saveField({ slug })}
      />
      <LogoField
        name={organization.name}
        logo={organization.logo ?? null}
        mark={<SavedMark {...mark} />}
        onChange={(logo) => save({ logo })}
      />
    </div>
  )
}

type Changes = { readonly name?: string; readonly slug?: string; readonly logo?: string | null; readonly isSharingOff?: boolean }

/** Resolves with the reason of a refusal. */
function useSave(): (data: Changes) => Promise<string | undefined> {
  const { organization } = useOrganizationView()
  return async (data) => {
    const result = await authCall('organization/update', { organizationId: organization.id, data })
    return result.ok ? undefined : result.message
  }
}

/** Deleting for all members requires typing the name. */
function DeleteDialog({ onClose }: { readonly onClose: () => void }) {
  const {
    organization: { id, name },
  } = useOrganizationView()
  const { isPending, run } = useCall()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const reason = typed.trim() === name.trim() ? undefined : t('typeName')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (reason || isPending) return
    if (await run('delete', { organizationId: id }, t('wasDeleted', { organization: name }))) await navigate({ to: '/team' })
    else onClose()
  }
  return (
    <Dialog open title={t('deleteOrganization')} onClose={onClose} description={t('deleteDescription')}>
      <form onSubmit={(event) => void submit(event)} className="mt-4">
        <TextField label={t('typeToConfirm', { name })} value={typed} onValueChange={setTyped} autoComplete="off" />
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={onClose}>{libText('cancel')}</Button>
          <Button type="submit" variant="danger" pending={isPending} disabledReason={reason}>
            {t('delete')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
