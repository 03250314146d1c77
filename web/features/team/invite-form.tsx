import { type FormEvent, useState } from 'react'
import { assignableRoles, type OrganizationRole } from '../../../worker/contract/organization.ts'
import { authCall } from '../../lib/auth-call.ts'
import { useProPrice } from '../../lib/pro-price.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toaster.tsx'
import { RoleSelect } from './role-select.tsx'
import { t } from './texts/en.ts'

type InviteFormProps = {
  readonly organizationId: string
  readonly role: OrganizationRole
  /** The organization pays by seat. */
  readonly addsSeat: boolean
}

/** A refusal is shown at the email field, and the input is kept. */
export function InviteForm({ organizationId, role: mine, addsSeat }: InviteFormProps) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<OrganizationRole>('member')
  const [problem, setProblem] = useState<string>()
  const [isPending, setPending] = useState(false)
  const reason = email.trim() === '' ? t('enterAddress') : undefined
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (reason || isPending) return
    setPending(true)
    const result = await authCall('organization/invite-member', { organizationId, email: email.trim(), role })
    setPending(false)
    setProblem(result.ok ? undefined : result.message)
    if (!result.ok) return
    toast('success', t('invited', { email: email.trim() }))
    setEmail('')
  }
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-wrap items-start gap-2">
      <TextField
        label={t('email')}
        inputMode="email"
        autoCapitalize="none"
        spellCheck={false}
        autoComplete="off"
        placeholder="name@example.com"
        className="flex-1 max-sm:basis-full"
        value={email}
        onValueChange={(value) => {
          setEmail(value)
          setProblem(undefined)
        }}
        error={problem}
      />
      <div className="flex gap-2 max-sm:w-full sm:mt-6.5">
        <RoleSelect role={role} choices={assignableRoles(mine)} onChange={setRole} />
        <Button type="submit" variant="primary" className="max-sm:flex-1" pending={isPending} disabledReason={reason}>
          {t('invite')}
        </Button>
      </div>
      {addsSeat && <SeatNote />}
    </form>
  )
}

function SeatNote() {
  const { price } = useProPrice()
  return <p className="basis-full text-muted-foreground text-pretty">{t('seatNote', { price })}</p>
}
