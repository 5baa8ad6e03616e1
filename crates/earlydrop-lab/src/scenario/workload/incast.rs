//! Incasts: clients and their servers.

use earlydrop::random::Pcg32;
use earlydrop::units::Nanos;
use earlydrop_sim::network::Node as Host;
use earlydrop_sim::streams::{Purpose, stream};
use earlydrop_sim::traffic::{Application, Flow, Incast, Traffic};

use crate::document::Problem;
use crate::scenario::network::BuiltNetwork;
use crate::scenario::{FlowGroup, Scenario, ends_problem};

impl Scenario {
    /// The flows of a group that is an incast, the servers of one client after the other: `first`
    /// flows of the run come before them. `None` for any other group.
    pub(in crate::scenario) fn incast(
        &self,
        group: &FlowGroup,
        built: &mut BuiltNetwork,
        first: usize,
        overhead: Nanos,
        (seed, index): (u64, usize),
    ) -> Result<Option<Vec<Flow>>, Problem> {
        let Traffic::Tcp {
            application: Application::Incast(_),
            ..
        } = &group.traffic
        else {
            return Ok(None);
        };
        let mut random = stream(seed, Purpose::Hosts, index as u64);
        let mut flows = Vec::new();
        for number in 0..group.count {
            // A number that no other client has.
            let client = (first + flows.len()) as u32;
            let ends = match built.hosts.is_empty() {
                true => self.attached_servers(group, built)?,
                false => self.drawn_servers(group, built, &mut random)?,
            };
            for ends in ends {
                let mut flow = group.flow(number, ends, overhead, None);
                if let Traffic::Tcp {
                    application: Application::Incast(Incast { client: own, .. }),
                    ..
                } = &mut flow.traffic
                {
                    *own = client;
                }
                flows.push(flow);
            }
        }
        Ok(Some(flows))
    }

    /// The ends of a client's servers in a network to which hosts are attached: each server has a
    /// host of its own, and all answer to one.
    fn attached_servers(
        &self,
        group: &FlowGroup,
        built: &mut BuiltNetwork,
    ) -> Result<Vec<(Host, Host)>, Problem> {
        let (server, client) = self.hosts(group, built)?;
        let mut ends = vec![(server, client)];
        for _ in 1..group.servers {
            let (server, _) = self.hosts(group, built)?;
            ends.push((server, client));
        }
        Ok(ends)
    }

    /// The ends of a client's servers in a fabric: different random hosts, unless the group names
    /// one for all.
    fn drawn_servers(
        &self,
        group: &FlowGroup,
        built: &BuiltNetwork,
        random: &mut Pcg32,
    ) -> Result<Vec<(Host, Host)>, Problem> {
        let named = |end: &str, is_from: bool| match end {
            "" | "hosts" => Ok(None),
            name => {
                let host = built.host(name, is_from).map(Some);
                host.map_err(|problem| ends_problem(group, self.network.rtt, problem))
            }
        };
        let (server, client) = (named(&group.from, true)?, named(&group.to, false)?);
        let mut hosts = built.hosts.clone();
        let mut draw = |hosts: &mut Vec<Host>| {
            let number = random.below(hosts.len() as u32) as usize;
            hosts.swap_remove(number)
        };
        if let Some(server) = server {
            hosts.retain(|host| *host != server);
        }
        if hosts.is_empty() {
            let message = format!("flows `{}`: an incast needs two hosts", group.name);
            let help = "nearest: hosts = 2";
            return Err(Problem::new(&group.places.group, message, help));
        }
        let client = client.unwrap_or_else(|| draw(&mut hosts));
        if let Some(server) = server {
            return Ok(vec![(server, client); group.servers as usize]);
        }
        hosts.retain(|host| *host != client);
        if hosts.len() < group.servers as usize {
            let (servers, others) = (group.servers, hosts.len());
            let message = format!(
                "flows `{}`: {servers} servers, each on a host of its own, among {others} hosts \
                 besides the client",
                group.name
            );
            let help = format!("nearest: servers = {others}");
            return Err(Problem::new(&group.places.group, message, help));
        }
        let servers = 0..group.servers;
        Ok(servers.map(|_| (draw(&mut hosts), client)).collect())
    }
}
