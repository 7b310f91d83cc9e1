/// Where a trace is: the log by its place in the list of logs, and the line in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    pub(crate) log: u32,
    pub(crate) offset: u64,
    pub(crate) length: u32,
}

impl Place {
    pub(crate) const BYTES: usize = 16;

    pub(crate) fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.offset.to_le_bytes());
        out.extend_from_slice(&self.length.to_le_bytes());
        out.extend_from_slice(&self.log.to_le_bytes());
    }

    /// Reads the place at a position of written ones.
    pub(crate) fn read(bytes: &[u8], at: usize) -> Option<Self> {
        let (offset, rest) = bytes.get(at * Self::BYTES..)?.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (log, _) = rest.split_first_chunk()?;
        Some(Self {
            offset: u64::from_le_bytes(*offset),
            length: u32::from_le_bytes(*length),
            log: u32::from_le_bytes(*log),
        })
    }
}
