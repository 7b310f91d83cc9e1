//! The code of each error of the rooms. What is not listed has the code of its kind.

use stead_context::ContextError;
use stead_evidence::EvidenceError;
use stead_feature::FeatureError;
use stead_install::InstallError;
use stead_ledger::LedgerError;
use stead_memory::MemoryError;
use stead_pipeline::{DefinitionError, EngineError};
use stead_store::StoreError;

use crate::error::Code;

/// An error that may have a code of its own.
pub(crate) trait Coded {
    fn code(&self) -> Option<Code>;
}

/// Lists the cases of an error by their code.
macro_rules! codes {
    ($($error:ident { $($code:ident: $($case:ident)|+,)+ })+) => {
        $(impl Coded for $error {
            fn code(&self) -> Option<Code> {
                match self {
                    $($(Self::$case { .. })|+ => Some(Code::$code),)+
                    _ => None,
                }
            }
        })+
    };
}

codes! {
    StoreError {
        Io: Io,
        NotFound: UnknownKey | UnknownSchema,
        Busy: Locked,
        NotSetUp: MarkerMissing,
        Invalid: WrongValue | MarkerCorrupt | MarkerNewer | LineBreak | LineTooLong | NotAFile | LinkLoop,
        Refused: LeavesProject,
    }
    ContextError {
        NotFound: UnknownId | NoneOpen | NoneYet | UnknownFile | NotInPacket,
        Ambiguous: AmbiguousId,
        Exists: LoopNameTaken,
        Conflict: RoleClash | IllegalStep | LoopOver | SessionHeld,
        Invalid: FrontMatter | Content | NotText | PacketHead | ChainCycle | ChainTooLong | DocumentJson | DocumentValue
            | RoleName | RoleStateDamaged | RoleStateNewer,
        Refused: OutsideProject | ReflectionRefused | SecretInCommand,
    }
    FeatureError {
        NotFound: ListMissing | Unknown,
        Exists: Exists,
        Refused: Refused,
        Invalid: Encoding | Newer | BadId | Import | BadCommand,
    }
    EvidenceError {
        NotFound: UnknownItem | UnknownVerifier,
        Ambiguous: AmbiguousItem,
        Refused: Worthless | SecretInBinary,
        Invalid: Pattern | Coverage,
        Io: Unread,
    }
    LedgerError {
        NotFound: NoIntents | UnknownIntent | UnknownRequest | UnknownLesson,
        Exists: KnownIntent,
        Conflict: Finished | DecidedRequest,
        Invalid: Uneditable | Invalid,
    }
    MemoryError {
        NotFound: UnknownTrace | Forgotten | UnknownPattern | UnknownProposal | UnknownVersion | NoVersion | NothingToImport,
        Refused: Foreign | Refused,
        Invalid: Invalid,
        Conflict: NotDrafted | ChangedMeanwhile,
        Io: Unreadable,
    }
    EngineError {
        NotFound: UnknownRun | NotBegun,
        Exists: Exists,
        Busy: ListTaken | Held,
        Conflict: NotRunning | HasStarted | NotEnded | HasWork | PlanChanged | Settled | Mismatch,
        Invalid: BadName | Damaged | Newer,
    }
    DefinitionError {
        NotFound: UnknownStage | UnknownPipeline | UnknownProvider | Input,
        Exists: Taken,
        Invalid: Name | RunName | Faulty | Alone,
    }
    InstallError {
        NotFound: UnknownHarness,
        Invalid: RecordCorrupt | RecordNewer,
    }
}
